//! Pictures of the window never show a secret, whichever frame it was typed into.

use crate::server::{Answer, Server};
use crate::support::{Opened, launch_with, open_in};
use errand_browser::BrowserError;

/// Without round corners: Chromium does not draw their edges alike every time.
const CARD_IN_A_FRAME: &str = "<style>*{margin:0}button{all:unset}</style><p>in the frame</p>
    <label>Card <input id=card style='width:300px;height:50px'></label>
    <button onclick=\"setTimeout(() => { navigator.sendBeacon('/hung'); for (;;); }, 200)\">Hang</button>";

async fn open_card_frame(browser_arguments: &[&str], frame_style: &str) -> (Server, Opened) {
    let server = Server::start();
    server.route("/framed", Answer::html(CARD_IN_A_FRAME));
    let frame = server.other_site("/framed");
    let page = format!("<h1>Shop</h1><iframe src='{frame}' width=600 height=200 style='{frame_style}'></iframe>");
    server.route("/", Answer::html(&page));
    let opened = open_in(launch_with(browser_arguments).await, &server).await;
    (server, opened)
}

async fn type_secret(opened: &Opened, secret: &str) {
    opened.type_secret("Card", secret).await.unwrap();
}

async fn pictures_of_two_secrets_are_alike(browser_arguments: &[&str]) {
    let (_server, opened) = open_card_frame(browser_arguments, "").await;
    opened.type_into("Card", "1").await;
    let one = opened.session.screenshot().await.unwrap();
    opened.type_into("Card", "4444444444").await;
    let four = opened.session.screenshot().await.unwrap();
    assert!(one != four, "what is no secret is shown");
    type_secret(&opened, "1").await;
    let one = opened.session.screenshot().await.unwrap();
    type_secret(&opened, "4444444444").await;
    let four = opened.session.screenshot().await.unwrap();
    assert!(one == four, "the secret is in the picture");
}

#[tokio::test]
async fn secret_in_a_frame_of_another_origin_is_not_in_the_picture() {
    pictures_of_two_secrets_are_alike(&["--disable-site-isolation-trials"]).await;
}

#[tokio::test]
async fn secret_in_a_frame_with_its_own_process_is_not_in_the_picture() {
    pictures_of_two_secrets_are_alike(&["--site-per-process"]).await;
}

#[tokio::test]
async fn frame_that_does_not_answer_is_blank_in_the_picture() {
    let (server, opened) = open_card_frame(&["--site-per-process"], "").await;
    type_secret(&opened, "4444444444").await;
    opened.click("Hang").await;
    server.wait_for("/hung");
    let of_hung = opened.session.screenshot().await.unwrap();
    let (_server, without_frame) = open_card_frame(&[], "opacity:0").await;
    let blank = without_frame.session.screenshot().await.unwrap();
    assert!(of_hung == blank, "the hung frame is shown");
}

#[tokio::test]
async fn frame_that_cannot_be_covered_withholds_the_picture() {
    let (_server, opened) = open_card_frame(&["--site-per-process"], "opacity:1!important").await;
    opened.session.screenshot().await.unwrap();
    type_secret(&opened, "4444444444").await;
    let withheld = opened.session.screenshot().await.map(|picture| picture.len());
    assert!(matches!(withheld, Err(BrowserError::ScreenshotWithheld)), "{withheld:?}");
}
