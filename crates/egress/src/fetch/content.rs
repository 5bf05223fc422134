//! Undoes the content encodings of a received body (RFC 9110 §8.4).

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::{HeaderMap, header};

use super::FetchError;

/// Encodings laid over one another; servers send one, a proxy may add another.
const ENCODINGS_MAX: usize = 2;

/// Undoes the content encodings, the last one applied first; each result holds at most `bytes_max`.
pub(super) fn decode(headers: &HeaderMap, body: Vec<u8>, bytes_max: usize) -> Result<Vec<u8>, FetchError> {
    let named: Vec<String> = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("?").split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty() && name != "identity")
        .collect();
    if named.len() > ENCODINGS_MAX {
        return Err(FetchError::UnknownEncoding { encoding: named.join(", ") });
    }
    named.iter().rev().try_fold(body, |body, name| decode_one(name, body, bytes_max))
}

fn decode_one(name: &str, body: Vec<u8>, bytes_max: usize) -> Result<Vec<u8>, FetchError> {
    if body.is_empty() {
        return Ok(body);
    }
    let encoded = body.as_slice();
    match name {
        "gzip" | "x-gzip" => read_bounded(MultiGzDecoder::new(encoded), bytes_max),
        "deflate" if is_zlib(encoded) => read_bounded(ZlibDecoder::new(encoded), bytes_max),
        "deflate" => read_bounded(DeflateDecoder::new(encoded), bytes_max),
        _ => Err(FetchError::UnknownEncoding { encoding: name.to_owned() }),
    }
}

/// `deflate` means zlib (RFC 9110 §8.4.1.2), yet some servers send it bare: RFC 1950 §2.2 tells the two apart.
fn is_zlib(encoded: &[u8]) -> bool {
    let &[first, second, ..] = encoded else {
        return false;
    };
    first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

fn read_bounded(decoder: impl Read, bytes_max: usize) -> Result<Vec<u8>, FetchError> {
    let one_more = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoded = Vec::new();
    let read: io::Result<usize> = decoder.take(one_more).read_to_end(&mut decoded);
    read.map_err(FetchError::BrokenEncoding)?;
    if decoded.len() > bytes_max { Err(FetchError::BodyTooLarge { max_bytes: bytes_max }) } else { Ok(decoded) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{
        Compression,
        write::{DeflateEncoder, GzEncoder, ZlibEncoder},
    };
    use http::HeaderValue;

    use super::*;

    const PAGE: &[u8] = b"<!doctype html><title>A page</title>";

    fn headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_encoding_that_is_asked_for_is_undone() {
        for (encoding, body) in [
            ("identity", PAGE.to_vec()),
            ("gzip", gzip(PAGE)),
            ("X-GZIP", gzip(PAGE)),
            ("deflate", zlib(PAGE)),
            ("deflate", bare_deflate(PAGE)),
            ("deflate, gzip", gzip(&zlib(PAGE))),
            ("gzip", Vec::new()),
        ] {
            let expected = if body.is_empty() { b"" } else { PAGE };
            let decoded = decode(&headers(header::CONTENT_ENCODING, encoding), body, 1000).unwrap();
            assert_eq!(decoded, expected, "{encoding}");
        }
    }

    #[test]
    fn unknown_broken_and_too_large_encodings_are_named() {
        let unknown = decode(&headers(header::CONTENT_ENCODING, "br"), PAGE.to_vec(), 1000).unwrap_err();
        assert!(matches!(unknown, FetchError::UnknownEncoding { encoding } if encoding == "br"));
        let three = decode(&headers(header::CONTENT_ENCODING, "gzip, gzip, gzip"), PAGE.to_vec(), 1000);
        assert!(matches!(three, Err(FetchError::UnknownEncoding { .. })));
        let cut = gzip(PAGE)[..20].to_vec();
        let broken = decode(&headers(header::CONTENT_ENCODING, "gzip"), cut, 1000);
        assert!(matches!(broken, Err(FetchError::BrokenEncoding(_))));
        let bomb = gzip(&vec![0; 1_000_000]);
        let too_large = decode(&headers(header::CONTENT_ENCODING, "gzip"), bomb, 999_999);
        assert!(matches!(too_large, Err(FetchError::BodyTooLarge { max_bytes: 999_999 })));
    }
}
