//! Servers at a URL.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rustls::crypto::{CryptoProvider, ring};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(20);

/// The way to a server. It follows nobody elsewhere.
pub(super) fn transport(
    url: &Url,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    if CryptoProvider::get_default().is_none() {
        // Whoever else installs one in the same moment has done as well.
        drop(ring::default_provider().install_default());
    }
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        // A connection that is used again waits for late acknowledgements, as rmcp has found out.
        .pool_max_idle_per_host(0)
        .redirect(Policy::none())
        .dns_resolver(Public { is_local: url.host_str() == Some("localhost") })
        .build();
    let client = client.map_err(|error| error.to_string())?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    let headers = headers.iter().map(|(name, value)| {
        let wrong = |what: &str| format!("its header {name:?} has {what} that HTTP does not allow");
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("a name"))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong("a value"))?;
        value.set_sensitive(true);
        Ok::<_, String>((key, value))
    });
    config.custom_headers = headers.collect::<Result<HashMap<_, _>, _>>()?;
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Looks names up, and takes no private address for an answer: a name of somebody else's may lead anywhere.
struct Public {
    /// The name means this machine, by itself.
    is_local: bool,
}

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        let is_local = self.is_local;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let found: Vec<SocketAddr> =
                found.filter(|it| is_local || !is_private(it.ip())).collect();
            if found.is_empty() {
                let text = format!(
                    "{host} leads to a private address; write the address itself into the URL if that is meant"
                );
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, text).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is of this machine, of a network of its own, or of nobody.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => {
            let [first, second, third, .., high, low] = address.segments();
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            let inner = Ipv4Addr::new(a, b, c, d);
            let is_translated = (first, second, third) == (0x64, 0xff9b, 0);
            let is_inner = is_translated || address.segments()[..5] == [0; 5];
            (is_inner && is_private_v4(inner))
                || address.is_loopback()
                || address.is_unspecified()
                || address.is_multicast()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
        }
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || first == 0
        || first >= 240
        || (first == 100 && second & 0xc0 == 64)
        || (first == 198 && second & 0xfe == 18)
        || (first, second, third) == (192, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known_in_every_guise() {
        let private = [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::10.0.0.1",
            "::10.0.0.1",
        ];
        for address in private {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in
            ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"]
        {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_unless_it_says_so() {
        let resolve = |is_local| Public { is_local }.resolve("localhost".parse().unwrap());
        let refused = resolve(false).await.err().unwrap();
        assert!(refused.to_string().contains("leads to a private address"), "{refused}");
        assert!(resolve(true).await.unwrap().all(|it| it.ip().is_loopback()));
    }
}
