#!/usr/bin/env perl
# A tool in Perl, lines by <STDIN>.
use strict;
use warnings;
use JSON::PP;

$| = 1;
my $json = JSON::PP->new->utf8;

sub emit { print $json->encode($_[0]), "\n" }

emit({ type => "hello", name => "perl", version => "1.0.0", capabilities => ["tools"] });
emit({ type => "register_tool", name => "echo", description => "Gives the text back.",
       schema => { type => "object" } });
emit({ type => "ready" });

while (my $line = <STDIN>) {
    next unless $line =~ /\S/;
    my $msg = eval { $json->decode($line) };
    next unless ref $msg eq "HASH" && defined $msg->{type};
    if ($msg->{type} eq "tool_call") {
        my $known = $msg->{name} eq "echo";
        emit({ type => "tool_result", id => $msg->{id},
               content => [{ type => "text", text => $known ? $msg->{args}{text} : "unknown tool" }],
               $known ? () : (is_error => JSON::PP::true) });
    } elsif ($msg->{type} eq "shutdown") {
        emit({ type => "shutdown_ack" });
        last;
    }
}
