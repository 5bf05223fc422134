//! Whether the page shows that its subject can be had: a line that says so, or a button that buys it.

use super::Segment;
use super::hints::is_framing;
use super::labels::value_after;
use crate::booleans::truth;
use crate::dom::Id;
use crate::page::Page;

/// Longest line that can be a statement of stock, in bytes.
const LINE_BYTES_MAX: usize = 90;
/// How far from the heading a statement still speaks of the page's subject, in nodes.
const REACH: Id = 1500;
/// How far above its text a label's cell is looked for.
const LABEL_LEVELS: usize = 3;
/// A statement repeated more often belongs to sizes or to a list.
const REPEATS_MAX: usize = 2;

/// How lines begin that say it cannot be had, lower case.
const OUT: &[&str] = &[
    "currently unavailable",
    "temporarily unavailable",
    "currently out of stock",
    "temporarily out of stock",
    "this item is out of stock",
    "out of stock",
    "out-of-stock",
    "sold out",
    "no longer available",
    "not available",
    "unavailable",
    "derzeit nicht verfügbar",
    "nicht verfügbar",
    "zurzeit nicht",
    "zur zeit nicht",
    "momentan nicht",
    "ausverkauft",
    "nicht auf lager",
    "nicht lieferbar",
    "actuellement indisponible",
    "indisponible",
    "temporairement en rupture",
    "rupture de stock",
    "en rupture",
    "épuisé",
    "non disponibile",
    "attualmente non disponibile",
    "esaurito",
    "agotado",
    "no disponible",
    "sin existencias",
    "sin stock",
    "esgotado",
    "indisponível",
    "niet op voorraad",
    "uitverkocht",
    "niet beschikbaar",
    "tijdelijk uitverkocht",
    "slutsåld",
    "ej i lager",
    "slut i lager",
    "udsolgt",
    "ikke på lager",
    "utsolgt",
    "loppuunmyyty",
    "niedostępny",
    "produkt niedostępny",
    "brak w magazynie",
    "vyprodáno",
    "vypredané",
    "není skladem",
    "nie je skladom",
    "nedostupné",
    "nedostupný",
    "momentálne nedostupn",
    "momentálně nedostupn",
    "nem elérhető",
    "elfogyott",
    "nincs raktáron",
    "stoc epuizat",
    "indisponibil",
    "нет в наличии",
    "недоступен",
    "товар закончился",
    "закончился",
    "немає в наявності",
    "tükendi",
    "stokta yok",
    "在庫切れ",
    "売り切れ",
    "完売",
    "缺货",
    "缺貨",
    "售罄",
    "已售完",
    "補貨中",
    "품절",
    "일시품절",
    "אזל",
    "לא במלאי",
    "غير متوفر",
    "نفد",
    "نفذ",
    "rasprodano",
    "ni na zalogi",
];

/// How lines begin that say it can be had, lower case.
const IN: &[&str] = &[
    "in stock",
    "available now",
    "available for",
    "available online",
    "available to order",
    "only ",
    "auf lager",
    "sofort lieferbar",
    "lieferbar",
    "vorrätig",
    "en stock",
    "disponibilità immediata",
    "disponibile",
    "disponible",
    "disponibilidad inmediata",
    "em estoque",
    "op voorraad",
    "i lager",
    "på lager",
    "skladem",
    "skladom",
    "na sklade",
    "na skladě",
    "dostępny",
    "w magazynie",
    "raktáron",
    "în stoc",
    "in stoc",
    "stoc suficient",
    "в наличии",
    "есть в наличии",
    "є в наявності",
    "stokta",
    "在庫あり",
    "有货",
    "有貨",
    "現貨",
    "现货",
    "varastossa",
    "متوفر",
    "במלאי",
    "na zalogi",
    "na lageru",
    "laos",
    "pieejams",
];

/// How buttons begin that buy, lower case.
const BUY: &[&str] = &[
    "add to cart",
    "add to basket",
    "add to bag",
    "add to trolley",
    "add to shopping",
    "buy now",
    "buy it now",
    "in den warenkorb",
    "in den einkaufswagen",
    "jetzt kaufen",
    "ajouter au panier",
    "acheter",
    "aggiungi al carrello",
    "acquista",
    "compralo subito",
    "añadir al carrito",
    "añadir a la cesta",
    "añadir a la bolsa",
    "agregar al carro",
    "agregar al carrito",
    "comprar",
    "adicionar ao carrinho",
    "adicionar",
    "in winkelwagen",
    "in winkelmand",
    "lägg i varukorg",
    "lägg i kundvagn",
    "köp",
    "læg i kurv",
    "legg i handlekurv",
    "lisää ostoskoriin",
    "do koszyka",
    "dodaj do koszyka",
    "do košíka",
    "do košíku",
    "vložit do košíku",
    "vložiť do košíka",
    "pridať do košíka",
    "přidat do košíku",
    "kúpiť",
    "koupit",
    "kosárba",
    "adaugă în coș",
    "adauga in cos",
    "в корзину",
    "добавить в корзину",
    "купить",
    "до кошика",
    "купити",
    "sepete ekle",
    "satın al",
    "カートに入れる",
    "カートに追加",
    "加入购物车",
    "加入購物車",
    "放入購物車",
    "立即購買",
    "立即购买",
    "直接購買",
    "我要買",
    "장바구니",
    "구매하기",
    "바로구매",
    "הוסף לסל",
    "הוספה לסל",
    "أضف إلى السلة",
    "أضف إلى الحقيبة",
    "أضف إلى سلة",
    "lisa ostukorvi",
    "lisa korvi",
    "ielikt grozā",
    "pievienot grozam",
    "į krepšelį",
    "v košarico",
    "dodaj v košarico",
    "u košaricu",
    "ostukorvi",
    "grozā",
];

/// What the page shows about its subject's availability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Whether it can be had.
    pub available: bool,
    /// The line that says so.
    pub line: String,
}

/// Reads the statement nearest to the heading; a button to buy counts when no line says anything.
#[must_use]
pub fn find(page: &Page, segments: &[Segment]) -> Option<Shown> {
    let stated = nearest(page, segments, false);
    let held = nearest(page, segments, true);
    match (stated, held) {
        (Some((_, line)), None) => return Some(Shown { available: false, line }),
        (None, Some((_, line))) => return Some(Shown { available: true, line }),
        (Some((out_at, out)), Some((in_at, held))) => {
            let available = in_at < out_at;
            return Some(Shown { available, line: if available { held } else { out } });
        }
        (None, None) => {}
    }
    button(page, segments).map(|line| Shown { available: true, line })
}

/// The line nearest after the heading that says so, with its distance.
fn nearest(page: &Page, segments: &[Segment], available: bool) -> Option<(Id, String)> {
    let heading = page.heading.unwrap_or(page.body);
    let mut found: Vec<(Id, &Segment)> = Vec::new();
    for segment in segments.iter().filter(|segment| segment.text.len() <= LINE_BYTES_MAX) {
        let distance = segment.node.abs_diff(heading);
        if distance > REACH || segment.node < heading && distance > REACH / 8 {
            continue;
        }
        if says(page, segment) == Some(available) && !is_framing(&page.dom, segment.node) {
            found.push((distance, segment));
        }
    }
    // That something is sold out, said often, is said of other things.
    if found.len() > REPEATS_MAX && !available {
        return None;
    }
    found.into_iter().min_by_key(|(distance, _)| *distance).map(|(distance, segment)| (distance, segment.text.clone()))
}

/// What a line says; one that asks for an answer says what the answer makes of it.
fn says(page: &Page, segment: &Segment) -> Option<bool> {
    let said = match (begins(&segment.text, OUT), begins(&segment.text, IN)) {
        (true, _) => false,
        (false, true) => true,
        (false, false) => return None,
    };
    let answer = match &segment.pair {
        Some((_, start)) => segment.text.get(*start..).and_then(truth),
        None if is_label(page, segment) => value_after(page, segment.node).and_then(|(value, _)| truth(&value)),
        None => None,
    };
    Some(answer.map_or(said, |answer| answer == said))
}

fn is_label(page: &Page, segment: &Segment) -> bool {
    let is_cell = |id: Id| matches!(page.dom.name(id), "dt" | "th");
    segment.text.ends_with([':', '：']) || page.dom.ancestors(segment.node).take(LABEL_LEVELS).any(is_cell)
}

fn begins(text: &str, starts: &[&str]) -> bool {
    let lower = text.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    starts.iter().any(|start| {
        lower.strip_prefix(start).is_some_and(|rest| {
            let ends_word =
                start.ends_with(' ') || rest.chars().next().is_none_or(|c| !c.is_alphabetic()) || !start.is_ascii();
            let counts = *start != "only " || rest.starts_with(|c: char| c.is_ascii_digit());
            ends_word && counts && rest.len() <= 60
        })
    })
}

/// The buttons that buy, unless there are so many that the page is a list.
#[must_use]
pub fn buttons(page: &Page) -> Vec<Id> {
    let dom = &page.dom;
    let mut found: Vec<Id> = Vec::new();
    for id in dom.below(page.body) {
        let is_input = dom.name(id) == "input"
            && dom.attr(id, "type").is_some_and(|kind| matches!(kind, "submit" | "button" | "image"));
        let is_button = matches!(dom.name(id), "button" | "a") || dom.attr(id, "role") == Some("button");
        let text = if is_input {
            dom.attr(id, "value").or_else(|| dom.attr(id, "alt")).unwrap_or("").to_owned()
        } else if is_button {
            crate::text::shown_up_to(dom, id, 60)
        } else {
            continue;
        };
        if text.len() <= 60 && begins(&text, BUY) {
            found.push(id);
        }
    }
    if found.len() <= 6 { found } else { Vec::new() }
}

/// The text of a button that buys.
fn button(page: &Page, segments: &[Segment]) -> Option<String> {
    let dom = &page.dom;
    let shown = segments.iter().filter(|segment| segment.text.len() <= 40 && begins(&segment.text, BUY));
    let pressed = shown
        .filter(|segment| {
            dom.ancestors(segment.node).take(4).any(|id| {
                matches!(dom.name(id), "button" | "a")
                    || dom.attr(id, "role") == Some("button")
                    || dom.attr(id, "onclick").is_some()
            })
        })
        .map(|segment| segment.text.clone());
    let inputs = dom.below(page.body).filter(|id| {
        dom.name(*id) == "input"
            && dom.attr(*id, "type").is_some_and(|kind| matches!(kind, "submit" | "button" | "image"))
    });
    let labelled = inputs
        .filter_map(|id| dom.attr(id, "value").or_else(|| dom.attr(id, "alt")).or_else(|| dom.attr(id, "title")))
        .filter(|text| begins(text, BUY))
        .map(str::to_owned);
    let mut pressed = pressed;
    let mut labelled = labelled;
    pressed.next().or_else(|| labelled.next())
}
