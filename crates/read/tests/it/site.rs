//! A server of fixed answers, and readers with a browser that the test makes up.

use async_trait::async_trait;
use errand_browser::LaunchError;
use errand_egress::{AddressPolicy, Dialer, tls_client_config};
use errand_read::{Browse, Page, Reader, ToolError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use url::Url;

/// Answers every request alike; it ends when dropped.
pub struct Site {
    pub url: Url,
    task: AbortHandle,
}

impl Site {
    pub async fn start(head: &str, body: &[u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let head = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        let answer = [head.as_bytes(), body].concat();
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4096];
                // A client that goes away is no fault of the test.
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&answer).await;
            }
        });
        Self { url, task: serving.abort_handle() }
    }

    pub async fn html(body: &str) -> Self {
        Self::start("200 OK\r\ncontent-type: text/html; charset=utf-8", body.as_bytes()).await
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Gives pages in turn; without more, it finds none.
#[derive(Debug, Default)]
pub struct MadeUp {
    pages: Mutex<VecDeque<String>>,
}

impl MadeUp {
    pub fn pages(pages: &[&str]) -> Arc<Self> {
        Arc::new(Self { pages: Mutex::new(pages.iter().map(|html| (*html).to_owned()).collect()) })
    }

    pub fn left(&self) -> usize {
        self.pages.lock().unwrap().len()
    }
}

#[async_trait]
impl Browse for MadeUp {
    async fn open(&self, url: &Url) -> Result<Page, ToolError> {
        let html = self.pages.lock().unwrap().pop_front();
        html.map(|html| Page { url: url.to_string(), html, is_cut: false }).ok_or(ToolError::Status { status: 500 })
    }
}

/// Never gives a page.
#[derive(Debug)]
pub struct Stuck;

#[async_trait]
impl Browse for Stuck {
    async fn open(&self, _: &Url) -> Result<Page, ToolError> {
        std::future::pending().await
    }
}

/// Has no browser to start.
#[derive(Debug)]
pub struct Unable;

#[async_trait]
impl Browse for Unable {
    async fn open(&self, _: &Url) -> Result<Page, ToolError> {
        let source = std::io::Error::other("secret detail");
        Err(ToolError::Launch(LaunchError::Spawn { executable: "/opt/inner/chromium".into(), source }))
    }
}

pub fn reader(browser: Arc<dyn Browse>) -> Reader {
    Reader::new(dialer(AddressPolicy::everything()), browser)
}

pub fn dialer(addresses: AddressPolicy) -> Dialer {
    Dialer::new(addresses, tls_client_config(None).unwrap())
}
