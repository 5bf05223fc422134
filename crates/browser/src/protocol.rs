//! The few DevTools commands and events this crate uses, with the fields it uses (Chrome DevTools Protocol 1.3). Written
//! out here because the generated crate costs 90 CPU-seconds to compile and refuses events that a newer browser extends.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A command and the type of its answer.
pub(crate) trait Command: Serialize {
    const METHOD: &'static str;
    type Reply: DeserializeOwned + Send;
}

/// Declares a command: its wire name, its parameters and what is read of its answer.
macro_rules! command {
    ($method:literal, $name:ident $(<$life:lifetime>)? { $($(#[$meta:meta])* $field:ident : $type:ty),* $(,)? } -> $reply:ty) => {
        #[derive(Debug, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name $(<$life>)? { $($(#[$meta])* pub(crate) $field: $type),* }
        impl $(<$life>)? Command for $name $(<$life>)? {
            const METHOD: &'static str = $method;
            type Reply = $reply;
        }
    };
}

command!("Browser.getVersion", GetVersion {} -> Version);
command!("Browser.setDownloadBehavior", SetDownloadBehavior<'a> {
    behavior: &'static str,
    browser_context_id: &'a str,
    events_enabled: bool,
} -> IgnoredAny);
command!("Target.setAutoAttach", SetAutoAttach {
    auto_attach: bool,
    wait_for_debugger_on_start: bool,
    flatten: bool,
    filter: Vec<TargetFilter>,
} -> IgnoredAny);
command!("Target.setDiscoverTargets", SetDiscoverTargets { discover: bool } -> IgnoredAny);
command!("Target.createBrowserContext", CreateBrowserContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    proxy_server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proxy_bypass_list: Option<&'static str>,
} -> ContextCreated);
command!("Target.disposeBrowserContext", DisposeBrowserContext<'a> { browser_context_id: &'a str } -> IgnoredAny);
command!("Target.createTarget", CreateTarget<'a> {
    url: &'static str,
    browser_context_id: &'a str,
    width: u32,
    height: u32,
} -> IgnoredAny);
command!("Target.closeTarget", CloseTarget<'a> { target_id: &'a str } -> IgnoredAny);
command!("Runtime.runIfWaitingForDebugger", RunIfWaitingForDebugger {} -> IgnoredAny);
command!("Runtime.evaluate", Evaluate<'a> {
    expression: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<i64>,
    #[serde(rename = "includeCommandLineAPI", skip_serializing_if = "std::ops::Not::not")]
    include_command_line_api: bool,
    await_promise: bool,
    return_by_value: bool,
    silent: bool,
} -> Evaluated);
command!("Runtime.terminateExecution", TerminateExecution {} -> IgnoredAny);
command!("Page.enable", EnablePage {} -> IgnoredAny);
command!("Page.navigate", Navigate<'a> { url: &'a str } -> Navigated);
command!("Page.crash", Crash {} -> IgnoredAny);
command!("Page.stopLoading", StopLoading {} -> IgnoredAny);
command!("Page.getNavigationHistory", GetNavigationHistory {} -> NavigationHistory);
command!("Page.navigateToHistoryEntry", NavigateToHistoryEntry { entry_id: i64 } -> IgnoredAny);
command!("Page.createIsolatedWorld", CreateIsolatedWorld<'a> {
    frame_id: &'a str,
    world_name: &'static str,
} -> WorldCreated);
command!("Page.handleJavaScriptDialog", HandleDialog { accept: bool } -> IgnoredAny);
command!("Page.captureScreenshot", CaptureScreenshot {
    format: &'static str,
    optimize_for_speed: bool,
    capture_beyond_viewport: bool,
} -> Screenshot);
command!("Network.enable", EnableNetwork {
    max_total_buffer_size: u32,
    max_resource_buffer_size: u32,
} -> IgnoredAny);
command!("Network.setUserAgentOverride", SetUserAgent<'a> { user_agent: &'a str } -> IgnoredAny);
command!("Emulation.setFocusEmulationEnabled", SetFocusEmulation { enabled: bool } -> IgnoredAny);
command!("DOM.enable", EnableDom {} -> IgnoredAny);
command!("DOM.getFrameOwner", GetFrameOwner<'a> { frame_id: &'a str } -> FrameOwner);
command!("DOM.getBoxModel", GetBoxModel { backend_node_id: i64 } -> BoxModelOf);
command!("Fetch.enable", EnableFetch {
    /// None: every request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    patterns: Vec<RequestPattern>,
} -> IgnoredAny);
command!("Fetch.disable", DisableFetch {} -> IgnoredAny);
command!("Fetch.continueRequest", ContinueRequest<'a> { request_id: &'a str } -> IgnoredAny);
command!("Fetch.failRequest", FailRequest<'a> {
    request_id: &'a str,
    error_reason: &'static str,
} -> IgnoredAny);
command!("Fetch.fulfillRequest", FulfillRequest<'a> {
    request_id: &'a str,
    response_code: u16,
    response_headers: Vec<Header>,
    body: &'static str,
} -> IgnoredAny);
command!("Storage.getCookies", GetCookies<'a> { browser_context_id: &'a str } -> Cookies);
command!("Storage.setCookies", SetCookies<'a> { browser_context_id: &'a str, cookies: Vec<Value> } -> IgnoredAny);
command!("Input.insertText", InsertText<'a> { text: &'a str } -> IgnoredAny);
command!("Input.dispatchMouseEvent", DispatchMouse {
    #[serde(rename = "type")]
    kind: &'static str,
    x: f64,
    y: f64,
    button: &'static str,
    buttons: u8,
    click_count: u8,
    pointer_type: &'static str,
} -> IgnoredAny);
command!("Input.dispatchKeyEvent", DispatchKey<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    key: &'a str,
    code: &'a str,
    windows_virtual_key_code: u32,
    modifiers: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
} -> IgnoredAny);

impl DispatchMouse {
    /// An event of the left button, or of none for moves, at a place in CSS pixels.
    pub(crate) fn at(kind: &'static str, x: f64, y: f64) -> Self {
        let presses = matches!(kind, "mousePressed" | "mouseReleased");
        Self {
            kind,
            x,
            y,
            button: if presses { "left" } else { "none" },
            buttons: u8::from(kind == "mousePressed"),
            click_count: u8::from(presses),
            pointer_type: "mouse",
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Version {
    pub(crate) product: String,
}

/// Kinds of targets to attach to; what is not listed is left alone.
#[derive(Debug, Serialize)]
pub(crate) struct TargetFilter {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
}

/// Requests that wait for our answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPattern {
    pub(crate) resource_type: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Header {
    pub(crate) name: &'static str,
    pub(crate) value: &'static str,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextCreated {
    pub(crate) browser_context_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldCreated {
    pub(crate) execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigated {
    pub(crate) loader_id: Option<String>,
    pub(crate) error_text: Option<String>,
    #[serde(default)]
    pub(crate) is_download: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOwner {
    pub(crate) backend_node_id: i64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct BoxModelOf {
    pub(crate) model: BoxModel,
}

/// Corners of the content box: x and y of each, from the top left one clockwise.
#[derive(Debug, Deserialize)]
pub(crate) struct BoxModel {
    pub(crate) content: [f64; 8],
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NavigationHistory {
    pub(crate) current_index: usize,
    pub(crate) entries: Vec<HistoryEntry>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct HistoryEntry {
    pub(crate) id: i64,
    pub(crate) url: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Screenshot {
    /// PNG in base64.
    pub(crate) data: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Cookies {
    pub(crate) cookies: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    pub(crate) result: RemoteValue,
    pub(crate) exception_details: Option<ExceptionDetails>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RemoteValue {
    #[serde(default)]
    pub(crate) value: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ExceptionDetails {
    pub(crate) text: String,
    pub(crate) exception: Option<Exception>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Exception {
    pub(crate) description: Option<String>,
}

/// Parameters of `Target.attachedToTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachedToTarget {
    pub(crate) session_id: String,
    pub(crate) target_info: TargetInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    pub(crate) target_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) url: String,
    pub(crate) browser_context_id: Option<String>,
}

/// Parameters of `Target.detachedFromTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetachedFromTarget {
    pub(crate) session_id: String,
}

/// Parameters of `Target.targetCrashed` and other events that name a target only.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetNamed {
    pub(crate) target_id: String,
}

/// Parameters of `Browser.downloadWillBegin`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DownloadWillBegin {
    pub(crate) frame_id: String,
    pub(crate) url: String,
}
