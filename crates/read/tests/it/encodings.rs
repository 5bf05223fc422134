//! Pages in encodings of the world, by the transport and from files.

use errand_read::{Engine, read_file};
use std::path::PathBuf;

use crate::site::{MadeUp, Site, reader};

const RUSSIAN: (&str, &str) = ("Настольная лампа", "Латунь, зелёный абажур. Цена: 4 990 руб.");
const JAPANESE: (&str, &str) = ("真鍮のデスクランプ", "価格は税込みで一万二千円です。");
const FRENCH: (&str, &str) = ("Lampe de bureau “Café”", "Prix : 89 € – livraison offerte");

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/encodings")).join(name)
}

#[tokio::test]
async fn a_served_page_is_read_by_mark_then_header_then_declaration_then_fallback() {
    let cases = [
        ("windows-1251.html", "text/html", RUSSIAN),
        ("windows-1251.html", "text/html; charset=windows-1251", RUSSIAN),
        ("shift-jis.html", "text/html", JAPANESE),
        ("utf-16le-mark.html", "text/html; charset=utf-8", JAPANESE),
        ("utf-16be-mark.html", "text/html", RUSSIAN),
        ("latin1-is-windows-1252.html", "text/html", FRENCH),
        ("latin1-is-windows-1252.html", "text/html; charset=ISO-8859-1", FRENCH),
        ("meta-says-utf-8.html", "text/html; charset=windows-1251", RUSSIAN),
        ("meta-says-windows-1251.html", "text/html; charset=\"UTF-8\"", RUSSIAN),
        ("undeclared-utf-8.html", "text/html", JAPANESE),
        ("undeclared-windows-1252.html", "text/html", FRENCH),
    ];
    for (name, content_type, (title, text)) in cases {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let site = Site::start(&format!("200 OK\r\ncontent-type: {content_type}"), &bytes).await;
        let read = reader(MadeUp::pages(&[])).read("test", &site.url, Engine::Http, None).await.unwrap();
        assert_eq!(
            (read.title.as_str(), read.text),
            (title, format!("# {title}\n\n{text}")),
            "{name} as {content_type}"
        );
    }
}

#[tokio::test]
async fn a_file_is_read_by_what_it_says_of_itself() {
    let cases = [
        ("windows-1251.html", RUSSIAN),
        ("shift-jis.html", JAPANESE),
        ("utf-16le-mark.html", JAPANESE),
        ("utf-16be-mark.html", RUSSIAN),
        ("latin1-is-windows-1252.html", FRENCH),
        ("undeclared-utf-8.html", JAPANESE),
        ("undeclared-windows-1252.html", FRENCH),
    ];
    for (name, (title, text)) in cases {
        let read = read_file(&fixture(name), None, None).await.unwrap();
        assert_eq!((read.title.as_str(), read.text), (title, format!("# {title}\n\n{text}")), "{name}");
    }
}
