//! One pass over a parsed page: where its scripts, meta tags, microdata, base address and language are.

use url::Url;

use crate::copies::Copies;
use crate::dom::{Dom, Id};
use crate::text::{clean, collapse};

/// How far up an owner of a nested microdata item is looked for; a bound for pages nested without end.
const OWNER_LEVELS: usize = 64;

/// Most scripts looked into.
const SCRIPTS_MAX: usize = 2000;
/// Most meta tags kept.
const METAS_MAX: usize = 2000;

/// What a script holds, by its media type's essence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptKind {
    /// `application/ld+json`.
    JsonLd,
    /// Any other JSON.
    Json,
    /// Code.
    Code,
}

/// A page with what was found in it.
#[derive(Debug)]
pub struct Page {
    /// The tree.
    pub dom: Dom,
    /// The effective base address, if the page's own address is usable.
    pub base: Option<Url>,
    /// The page's own address, if usable.
    pub address: Option<Url>,
    /// Host of the page, lower case.
    pub host: String,
    /// Language tag, as written.
    pub lang: String,
    /// Text of `title`.
    pub title: String,
    /// Scripts with their kind, in order.
    pub scripts: Vec<(ScriptKind, Id)>,
    /// Meta tags: folded-case name and content, in order.
    pub metas: Vec<(String, String)>,
    /// Top-level microdata items.
    pub items: Vec<Id>,
    /// The first `h1` of the body that shows text.
    pub heading: Option<Id>,
    /// The `body`, or 0.
    pub body: Id,
    /// How much of its data may still be copied.
    pub copies: Copies,
}

impl Page {
    /// Looks through a parsed page. `url` is its address; a bad one only means that relative addresses stay relative.
    #[must_use]
    pub fn new(dom: Dom, url: &str) -> Self {
        let address = Url::parse(url).ok();
        let mut page = Self {
            base: address.clone(),
            host: address.as_ref().and_then(Url::host_str).unwrap_or("").to_ascii_lowercase(),
            address,
            lang: String::new(),
            title: String::new(),
            scripts: Vec::new(),
            metas: Vec::new(),
            items: Vec::new(),
            heading: None,
            body: 0,
            copies: Copies::default(),
            dom,
        };
        let mut has_base = false;
        for id in 0..page.dom.len() {
            page.note(id, &mut has_base);
        }
        page
    }

    fn note(&mut self, id: Id, has_base: &mut bool) {
        let Some(element) = self.dom.element(id) else { return };
        match &*element.name {
            "html" => {
                let lang =
                    self.dom.attr(id, "lang").or_else(|| self.dom.attr(id, "xml:lang")).unwrap_or("").trim().to_owned();
                if !lang.is_empty() {
                    self.metas.push(("html:lang".to_owned(), lang.clone()));
                }
                self.lang = lang;
            }
            "body" if self.body == 0 => self.body = id,
            "base" if !*has_base => self.note_base(id, has_base),
            "title" if self.title.is_empty() && !self.inside_svg(id) => {
                self.title = collapse(&self.dom.raw_text(id, 4096))
            }
            "script" if self.scripts.len() < SCRIPTS_MAX => self.note_script(id),
            "meta" if self.metas.len() < METAS_MAX => self.note_meta(id),
            "link" => self.note_link(id),
            "h1" if self.heading.is_none() => self.note_heading(id),
            _ => {}
        }
        if element_is_item(&self.dom, id) {
            self.items.push(id);
        }
    }

    fn inside_svg(&self, id: Id) -> bool {
        self.dom.ancestors(id).any(|above| self.dom.name(above) == "svg")
    }

    fn note_base(&mut self, id: Id, has_base: &mut bool) {
        let Some(href) = self.dom.attr(id, "href") else { return };
        *has_base = true;
        let joined = match &self.address {
            Some(address) => address.join(href.trim()).ok(),
            None => Url::parse(href.trim()).ok(),
        };
        if let Some(base) = joined.filter(|base| matches!(base.scheme(), "http" | "https")) {
            self.base = Some(base);
        }
    }

    fn note_script(&mut self, id: Id) {
        let kind = match self.dom.attr(id, "type") {
            None | Some("") => ScriptKind::Code,
            Some(media) => script_kind(media),
        };
        self.scripts.push((kind, id));
    }

    fn note_meta(&mut self, id: Id) {
        let Some(content) = self.dom.attr(id, "content") else { return };
        let content = clean(content);
        if content.is_empty() {
            return;
        }
        for key in ["property", "name", "itemprop", "http-equiv"] {
            if let Some(name) = self.dom.attr(id, key) {
                // `property` may hold several names.
                for name in name.split_ascii_whitespace() {
                    self.metas.push((name.to_lowercase(), content.clone()));
                }
                if key != "itemprop" {
                    break;
                }
            }
        }
    }

    fn note_link(&mut self, id: Id) {
        let is_canonical = self
            .dom
            .attr(id, "rel")
            .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical")));
        if let Some(href) = self.dom.attr(id, "href").filter(|_| is_canonical) {
            self.metas.push(("link:canonical".to_owned(), href.trim().to_owned()));
        }
    }

    fn note_heading(&mut self, id: Id) {
        if !crate::text::shown_up_to(&self.dom, id, 2000).is_empty() {
            self.heading = Some(id);
        }
    }

    /// The first content of a meta tag.
    #[must_use]
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas.iter().find(|(key, _)| key == name).map(|(_, content)| content.as_str())
    }

    /// An address made absolute against the page's base (RFC 3986); scripts and empty ones are none.
    #[must_use]
    pub fn absolute(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty()
            || href.starts_with('#')
            || href.get(..11).is_some_and(|head| head.eq_ignore_ascii_case("javascript:"))
        {
            return None;
        }
        match &self.base {
            Some(base) => base.join(href).ok().map(String::from),
            None => Some(Url::parse(href).map_or_else(|_| href.to_owned(), String::from)),
        }
    }

    /// The text of the page's main heading.
    #[must_use]
    pub fn heading_text(&self) -> String {
        self.heading.map(|id| crate::text::shown_up_to(&self.dom, id, 2000)).unwrap_or_default()
    }
}

/// A top-level item: `itemscope` without `itemprop`, or with one that no item around it can own (the standard ignores
/// those, but publishers write `itemprop="mainEntity"` on the first item of a page).
fn element_is_item(dom: &Dom, id: Id) -> bool {
    dom.attr(id, "itemscope").is_some()
        && (dom.attr(id, "itemprop").is_none()
            || !dom.ancestors(id).take(OWNER_LEVELS).any(|above| dom.attr(above, "itemscope").is_some()))
}

fn script_kind(media: &str) -> ScriptKind {
    let decoded = crate::entities::decode_entities(media);
    let essence = decoded.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/ld+json" => ScriptKind::JsonLd,
        "text/javascript"
        | "application/javascript"
        | "module"
        | "text/ecmascript"
        | "application/x-javascript"
        | "" => ScriptKind::Code,
        other if other.contains("json") && other != "speculationrules" => ScriptKind::Json,
        "text/x-magento-init" | "mime/invalid" | "text/x-component" => ScriptKind::Json,
        _ => ScriptKind::Code,
    }
}
