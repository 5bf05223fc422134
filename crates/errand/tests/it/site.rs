//! A tiny web server for reads and runs: fixed pages, and a count of the forms that were sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

const LAMP: &str = r#"<!doctype html><title>Brass desk lamp</title>
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Brass desk lamp",
  "offers": {"@type": "Offer", "price": "89.95", "priceCurrency": "AUD"}}</script>
<h1>Brass desk lamp</h1><p>A lamp.</p><p>Price: $89.95</p>"#;

/// The same lamp, published only once a script has run.
const SCRIPTED: &str = r#"<!doctype html><title>Shop</title><div id="root"></div><script>
const data = document.createElement("script"); data.type = "application/ld+json";
data.textContent = JSON.stringify({"@type": "Product", name: "Brass desk lamp",
  offers: {"@type": "Offer", price: "89.95", priceCurrency: "AUD"}});
document.head.append(data); document.title = "Brass desk lamp";
document.getElementById("root").innerHTML = "<h1>Brass desk lamp</h1>"; </script>"#;

const FORM: &str = r#"<!doctype html><title>Newsletter</title><h1>Newsletter</h1>
<form method="post" action="/subscribe">
<label>Full name <input name="name" required></label>
<label>Email <input name="email" type="email" required></label>
<button type="submit">Subscribe</button></form>"#;

/// The lamp, in a document of more than 2 MiB.
static LONG: LazyLock<String> = LazyLock::new(|| format!("{LAMP}{}", "<!-- and so on -->".repeat(150_000)));

/// Serves until the process ends.
pub struct Site {
    base: String,
    posts: Arc<AtomicUsize>,
}

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let posts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&posts);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let posts = Arc::clone(&counted);
                // A browser may close a connection unused: each is only one try.
                std::thread::spawn(move || answer(stream, &posts));
            }
        });
        Self { base, posts }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub fn posts(&self) -> usize {
        self.posts.load(Ordering::SeqCst)
    }
}

fn answer(mut stream: TcpStream, posts: &AtomicUsize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    if request.starts_with("GET /silent ") {
        // Never answers: the connection stays as long as the client keeps it.
        return stream.read_to_end(&mut Vec::new()).map(|_| ());
    }
    let (status, body) = match request.split_whitespace().take(2).collect::<Vec<_>>().as_slice() {
        ["GET", "/lamp"] => ("200 OK", LAMP),
        ["GET", "/long"] => ("200 OK", LONG.as_str()),
        ["GET", "/scripted"] => ("200 OK", SCRIPTED),
        ["GET", "/form"] => ("200 OK", FORM),
        ["POST", "/subscribe"] => {
            posts.fetch_add(1, Ordering::SeqCst);
            ("200 OK", "<!doctype html><title>Thanks</title><h1>Thank you, you are subscribed</h1>")
        }
        _ => ("404 Not Found", "<!doctype html><title>Not here</title>"),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
