//! A web server for one test: fixed answers by path, every request remembered.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longest wait of a test for a request that it expects.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Never answered: the connection stays open.
    pub hangs: bool,
    /// Sent again and again after the body, until the browser closes the connection.
    pub tail: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

#[derive(Default)]
struct Shared {
    routes: Mutex<BTreeMap<String, Answer>>,
    seen: Mutex<Vec<Seen>>,
    arrived: Condvar,
    stopped: AtomicBool,
}

pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Answer {
    pub fn html(body: &str) -> Self {
        Self::of("text/html; charset=utf-8", body)
    }

    pub fn of(kind: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self { status: 200, headers, body: body.as_bytes().to_vec(), hangs: false, tail: None }
    }

    pub fn redirect(to: &str) -> Self {
        Self { status: 302, ..Self::of("text/plain", "") }.header("location", to)
    }

    pub fn hanging() -> Self {
        Self { hangs: true, ..Self::html("") }
    }

    pub fn endless(self, tail: &str) -> Self {
        Self { tail: Some(tail.as_bytes().to_vec()), ..self }
    }

    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if accepting.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// A server with one page at `/`.
    pub fn with_page(body: &str) -> Self {
        let server = Self::start();
        server.route("/", Answer::html(body));
        server
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn route(&self, path: &str, answer: Answer) {
        self.shared.routes.lock().unwrap().insert(path.to_owned(), answer);
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The same server under another site.
    pub fn other_site(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.address.port())
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|request| request.path == path).count()
    }

    pub fn wait_for(&self, path: &str) -> Seen {
        let seen = self.shared.seen.lock().unwrap();
        let find = |seen: &Vec<Seen>| seen.iter().find(|request| request.path == path).cloned();
        let (seen, _) = self.shared.arrived.wait_timeout_while(seen, PATIENCE, |seen| find(seen).is_none()).unwrap();
        find(&seen).unwrap_or_else(|| panic!("no request for {path}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(stream: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let path = request.path.split('?').next().unwrap_or_default().to_owned();
        let answer = shared.routes.lock().unwrap().get(&path).cloned();
        let answer = answer.unwrap_or_else(|| Answer::html("not found").status(404));
        shared.seen.lock().unwrap().push(request);
        shared.arrived.notify_all();
        if answer.hangs {
            // Held until the browser gives up.
            let _ = reader.read(&mut [0]);
            return;
        }
        if write_answer(reader.get_mut(), &answer).is_err() {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    // A proxied request names the whole URL.
    let path = match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]).to_owned(),
        None => target,
    };
    Some(Seen { method, path, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

fn write_answer(stream: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} x\r\n", answer.status);
    match answer.tail {
        Some(_) => head.push_str("connection: close\r\n"),
        None => head.push_str(&format!("content-length: {}\r\n", answer.body.len())),
    }
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(&answer.body)?;
    let Some(tail) = &answer.tail else { return Ok(()) };
    loop {
        stream.write_all(tail)?;
    }
}
