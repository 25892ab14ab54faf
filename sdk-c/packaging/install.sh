#!/bin/sh
# Builds, installs or uninstalls the C library; the Makefile beside this folder sets the variables.
set -eu
cd "$(dirname "$0")/.."

fail() {
    printf 'extline: %s\n' "$1" >&2
    exit 1
}

for folder in "$PREFIX" "$LIBDIR" "$INCLUDEDIR"; do
    case $folder in
    /*) ;;
    *) fail "PREFIX, LIBDIR and INCLUDEDIR are absolute paths, and $folder is none" ;;
    esac
    # What pkg-config says is cut at spaces by the shell, and what a linker is told of at commas.
    case $folder in
    *[[:space:]]* | *[\"\'\`\$\\\&\|\;\<\>\(\)\*\?\#\,:]*)
        fail "PREFIX, LIBDIR and INCLUDEDIR hold no spaces and no punctuation that shells, pkg-config or linkers read otherwise, as '$folder' does" ;;
    esac
done
case $RPATH in
yes | no | auto) ;;
*) fail "RPATH is yes, no or auto, and not $RPATH" ;;
esac
case $MCP in
yes) features=mcp ;;
'' | no) features= ;;
*) fail "MCP is yes or no, and not $MCP" ;;
esac

# The header has the version: a test holds it to that of the library.
version=$(sed -n 's/^#define EXTLINE_VERSION "\(.*\)"$/\1/p' include/extline.h)
[ -n "$version" ] || fail 'include/extline.h names no EXTLINE_VERSION'
abi=${version%.*} # before 1.0 a new minor version may change the ABI; build.rs says the same
case $PROFILE in
dev) built=${CARGO_TARGET_DIR:-../target}/debug ;;
*) built=${CARGO_TARGET_DIR:-../target}/$PROFILE ;;
esac
# `make dist` has built it for another system, perhaps, and says where it lies.
built=${BUILT:-$built}
system=${SYSTEM:-$(uname)}

# The shared library under its full name, then the names that lead to it: that of its ABI, which
# programs are linked to, and that which the linker looks for.
config=extline-config.cmake
imports=
case $system in
Darwin)
    made=libextline.dylib
    shared=libextline.$abi.dylib
    links=libextline.dylib
    soname=@rpath/$shared
    static_libs='-lSystem -lc -lm'
    ;;
Windows)
    made=extline.dll
    shared=extline.dll
    links=
    soname=
    config=extline-config-windows.cmake
    # For mingw and for MSVC.
    imports='libextline.dll.a extline.lib'
    static_libs='-lws2_32 -luserenv -lbcrypt -ladvapi32 -lntdll -lkernel32'
    ;;
*)
    made=libextline.so
    shared=libextline.so.$version
    soname=libextline.so.$abi
    links="$soname libextline.so"
    # What `rustc --print native-static-libs` says.
    static_libs='-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc'
    ;;
esac
lib=$DESTDIR$LIBDIR
# The folder of what programs load: on Windows that of programs.
loaded=$lib
[ "$system" != Windows ] || loaded=$DESTDIR$PREFIX/bin
include=$DESTDIR$INCLUDEDIR

build() {
    # The project's own tests have built it with everything else.
    if [ "$PROFILE" = dev ] && [ -n "${EXTLINE_BUILT:-}" ]; then
        return
    fi
    if [ -n "${BUILT:-}" ]; then
        return
    fi
    if command -v cargo >/dev/null 2>&1; then
        cargo build --locked --package extline-c --profile "$PROFILE" --features "$features"
        cargo build --locked --package extline-c-model --profile "$PROFILE"
    elif [ ! -e "$built/$made" ]; then
        fail "$built/$made is not built, and there is no cargo to build it: get Rust from https://rustup.rs"
    fi # Built before by somebody else, as before `sudo make install`.
}

install_all() {
    build
    mkdir -p "$lib/pkgconfig" "$lib/cmake/extline" "$include" "$loaded"
    # Removed first: a program that runs keeps the old file, and does not see it change.
    rm -f "$loaded/$shared"
    cp "$built/$made" "$loaded/$shared"
    chmod 755 "$loaded/$shared"
    for static in $statics; do
        rm -f "$lib/$static"
        cp "$built/$static" "$lib/$static"
        chmod 644 "$lib/$static"
    done
    # One that was brought here keeps the name that build.rs gave it, for a folder that is not known yet.
    if [ "$system" = Darwin ] && [ -z "${BUILT:-}" ]; then
        install_name_tool -id "$LIBDIR/$shared" "$lib/$shared"
    fi
    for link in $links; do
        ln -sf "$shared" "$lib/$link"
    done
    for header in $headers; do
        cp "include/$header" "$include/$header"
        chmod 644 "$include/$header"
    done
    fill extline.pc "$lib/pkgconfig/extline.pc"
    fill extline_model.pc "$lib/pkgconfig/extline_model.pc"
    fill "$config" "$lib/cmake/extline/extline-config.cmake"
    fill extline-config-version.cmake "$lib/cmake/extline/extline-config-version.cmake"
    tell
}

uninstall() {
    rm -f "$loaded/$shared"
    for file in $links $statics pkgconfig/extline.pc pkgconfig/extline_model.pc \
        cmake/extline/extline-config.cmake cmake/extline/extline-config-version.cmake; do
        rm -f "$lib/$file"
    done
    [ ! -d "$lib/cmake/extline" ] || rmdir "$lib/cmake/extline"
    for header in $headers; do
        rm -f "$include/$header"
    done
}

headers='extline.h extline.hpp extline_model.h'
statics="libextline.a libextline_model.a $imports"

# fill TEMPLATE FILE: writes the file from packaging/TEMPLATE.in.
fill() {
    sed -e "s|@PREFIX@|$PREFIX|g" -e "s|@LIBDIR@|$LIBDIR|g" -e "s|@INCLUDEDIR@|$INCLUDEDIR|g" \
        -e "s|@VERSION@|$version|g" -e "s|@SHARED@|$shared|g" -e "s|@SONAME@|$soname|g" \
        -e "s|@RPATH@|$(rpath)|g" -e "s|@STATIC_LIBS@|$static_libs|g" \
        "packaging/$1.in" >"$2"
    chmod 644 "$2"
}

# Without it a program that was linked to a library in a folder of one's own does not start.
rpath() {
    [ "$system" != Windows ] || return 0
    case $RPATH:$LIBDIR in
    no:* | auto:/lib* | auto:/usr/lib*) ;;
    *) printf '%s' "-Wl,-rpath,$LIBDIR " ;;
    esac
}

tell() {
    printf 'extline %s is installed in %s\n' "$version" "$DESTDIR$PREFIX"
    [ -z "$DESTDIR" ] || return 0
    if ! pkg-config --exists "extline = $version" 2>/dev/null; then
        printf 'for pkg-config to find it: export PKG_CONFIG_PATH=%s/pkgconfig\n' "$LIBDIR"
    fi
}

case $1 in
build) build ;;
install) install_all ;;
uninstall) uninstall ;;
*) fail "$1 is none of build, install and uninstall" ;;
esac
