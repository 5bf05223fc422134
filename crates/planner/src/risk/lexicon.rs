//! Words on buttons and links that hint at what pressing them does, in English and the larger European languages.

use crate::words::{has_any, has_phrase, is_any, phrase_len, starts_with, stems, tokens};

/// What the words of a control suggest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Orders, pays, sends, deletes, publishes, signs, changes an account.
    Commits,
    /// Registers, books, subscribes: commits what was entered, and opens a form when nothing was.
    Enters,
    /// Moves on within a flow: continue, checkout, review.
    Advances,
    /// Changes nothing that lasts: search, filter, cart, menus, sign-in.
    Harmless,
    Unknown,
}

/// Phrases that commit wherever they stand in a name; their words may be inflected.
#[rustfmt::skip]
const COMMITS: &[&str] = &[
    "place order", "place my order", "place your order", "place the order", "order now", "complete order",
    "complete purchase", "complete my order", "complete your order", "complete booking", "complete payment",
    "finish order", "finalize order", "finalise order", "buy now", "sign and", "close account", "change password",
    "update password", "reset password", "change email", "update email", "cancel subscription", "cancel order",
    "cancel booking", "cancel account", "place bid", "agree and", "accept offer", "remove account", "grant access",
    "submit application", "one click buy", "check in now", "plaats bestelling", "realizar pedido", "finalizar compra",
    "zloz zamowienie", "objednat s povinnostou platby", "commander et payer", "delete account", "get my quote",
    "see my quote", "end subscription", "send money", "report post",
];

/// Single words that commit; compared as written, since `posted` and `Pays` are no `post` and `pay`.
#[rustfmt::skip]
const COMMITTING_WORDS: &[&str] = &[
    "submit", "send", "buy", "purchase", "pay", "delete", "erase", "destroy", "publish", "post", "sign", "transfer",
    "wire", "unsubscribe", "confirm", "donate", "deactivate", "withdraw", "bid", "approve", "authorize", "authorise",
    "upgrade", "downgrade", "renew", "redeem", "merge", "deploy", "revoke", "terminate", "tweet", "vote",
    // German
    "kaufen", "bestellen", "kostenpflichtig", "zahlungspflichtig", "bezahlen", "absenden", "senden", "loschen",
    "veroffentlichen", "uberweisen", "bestatigen", "unterschreiben", "kundigen", "abschicken", "spenden",
    // French
    "acheter", "commander", "payer", "envoyer", "supprimer", "publier", "confirmer", "valider", "signer",
    // Spanish, Portuguese
    "comprar", "pagar", "enviar", "eliminar", "borrar", "publicar", "confirmar", "excluir", "apagar", "transferir",
    "firmar",
    // Italian
    "acquista", "ordina", "paga", "invia", "elimina", "pubblica", "conferma", "firma",
    // Dutch
    "kopen", "betalen", "verzenden", "versturen", "verwijderen", "bevestigen",
    // Polish, Czech, Slovak, Romanian, Swedish, Russian
    "zaplac", "wyslij", "usun", "potwierdz", "zaplatit", "odeslat", "odoslat", "smazat", "potvrdit", "plateste",
    "trimite", "publica", "sterge", "confirma", "kop", "betala", "skicka", "купить", "оплатить", "отправить",
    "удалить", "подтвердить",
];

/// Words that commit what was entered; without entries a script behind them only opens the form.
#[rustfmt::skip]
const ENTERS: &[&str] = &[
    "subscribe", "register", "signup", "sign me up", "create account", "create my account", "book", "book now",
    "reserve", "apply now", "apply for", "enroll", "rsvp", "request quote", "get quote", "get a quote", "schedule",
    "join now", "join", "start trial", "start free trial", "finish and", "abonnieren", "registrieren", "buchen",
    "reserver", "inscrire", "reservar", "suscribirse", "registrarse", "prenota", "iscriviti", "boeken", "comment",
    "reply", "share", "forward", "invite", "order",
];

/// Words that commit even inside a longer name that otherwise advances: `Continue and pay`.
const COMMITS_ANYWAY: &[&str] =
    &["pay", "buy", "submit", "confirm", "purchase", "delete", "send", "publish", "post", "donate", "transfer", "sign"];

#[rustfmt::skip]
const ADVANCES: &[&str] = &[
    "continue", "next", "next step", "proceed", "checkout", "go to checkout", "proceed to checkout",
    "secure checkout", "review", "review order", "to payment", "to shipping", "to delivery", "go to payment",
    "back to", "continue as guest", "guest checkout", "weiter", "zur kasse", "suivant", "continuer", "siguiente",
    "continuar", "avanti", "volgende", "verder", "tramitar", "passer la commande", "preview", "start", "get started",
    "begin", "save and continue", "use this address", "ship to this address", "deliver to this address",
];

/// What shops write on the button that puts an item into the cart.
#[rustfmt::skip]
pub const ADD_TO_CART: &[&str] = &[
    "add to cart", "add to basket", "add to bag", "add to trolley", "add to my cart", "add to my bag",
    "add to my basket", "add to shopping cart", "add to shopping bag", "add to order", "add item", "in den warenkorb",
    "ajouter au panier", "anadir al carrito", "anadir a la cesta", "agregar al carrito", "anadir al carro",
    "aggiungi al carrello", "in winkelwagen", "in mijn winkelwagen", "adicionar ao carrinho", "do koszyka",
    "dodaj do koszyka", "do kosika", "do kosiku", "pridat do kosika", "vlozit do kosiku", "adauga in cos",
    "lisa ostukorvi", "lisa korvi", "i varukorgen", "lagg i varukorgen", "lagg i kundvagn", "laeg i kurv",
    "legg i handlekurv", "lisaa ostoskoriin", "sepete ekle", "в корзину", "добавить в корзину", "у кошик", "kosarba",
    "dodaj u kosaricu", "v kosarico", "ielikt groza", "i krepseli", "καλαθι", "カートに入れる", "加入购物车", "加入購物車", "장바구니",
    "장바구니에 담기", "ajouter a mon panier", "أضف إلى السلة", "أضف إلى حقيبة التسوق", "put in cart", "place in cart",
    "buy and add to cart",
];

/// Phrases that show that nothing lasting happens, wherever they stand in a name.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "add to wishlist", "add to favorites", "add to favourites", "add to list", "update cart", "update basket",
    "update bag", "update quantity", "update totals", "remove item", "remove from cart", "remove from basket",
    "empty cart", "view cart", "view basket", "view bag", "shopping cart", "search", "filter", "apply filter",
    "apply coupon", "apply code", "apply discount", "apply voucher", "sort by", "show more", "load more", "see more",
    "view more", "read more", "learn more", "login", "logout", "save for later", "suchen", "rechercher", "buscar",
    "zoeken", "filtern", "anmelden", "abmelden", "connexion", "continue shopping", "keep shopping", "select options",
    "choose options", "view options", "quick view", "change language", "change currency", "change country",
    "change location", "not now", "maybe later", "no thanks", "dark mode", "calculate shipping", "estimate shipping", "increase quantity", "decrease quantity",
];

/// Verbs that only change what is shown, where a name begins with them.
#[rustfmt::skip]
const SHOWS: &[&str] =
    &["show", "hide", "view", "expand", "collapse", "browse", "zoom", "compare", "toggle"];

/// Names that are harmless when they are the whole name.
#[rustfmt::skip]
const HARMLESS_NAMES: &[&str] = &[
    "cart", "basket", "bag", "find", "go", "sort", "show", "more", "details", "close", "dismiss", "cancel", "back",
    "previous", "edit", "menu", "toggle", "expand", "collapse", "open", "clear", "reset", "calculate", "estimate",
    "cerca", "schliessen", "abbrechen", "zuruck", "fermer", "annuler", "cerrar", "chiudi", "skip", "play", "pause",
    "zoom", "copy", "print", "download", "compare", "select", "choose", "switch", "theme", "apply", "add", "quantity",
    "plus", "minus", "open menu", "close menu", "show filters", "hide filters", "view all", "go back",
];

/// Names that hold a committing word and only say what stands there; compared as written, since `Posts` is no `Post`.
#[rustfmt::skip]
const NOUN_NAMES: &[&str] = &[
    "orders", "my orders", "your orders", "order status", "order history", "order details", "posts", "blog post",
    "blog posts", "books", "replies", "signs", "subscription", "subscriptions", "booking", "bookings", "my bookings",
    "transfers", "votes", "bids", "orders and returns", "shared", "sent", "join us", "posted", "buying guide",
    "payment", "payments", "registered", "shares", "signatures", "purchases", "submissions", "donations", "invites",
    "sent items", "book club", "audio books",
];

/// Whether the words are those of the button that puts something into the cart.
#[must_use]
pub fn adds_to_cart(name: &str) -> bool {
    has_any(&stems(name), ADD_TO_CART)
}

/// What the words of a button suggest.
#[must_use]
pub fn hint(name: &str) -> Hint {
    let words = stems(name);
    if NOUN_NAMES.contains(&tokens(name).join(" ").as_str()) {
        return Hint::Harmless;
    }
    if has_any(&words, ADD_TO_CART) || has_any(&words, HARMLESS_ANYWAY) || is_any(&words, HARMLESS_NAMES) {
        return Hint::Harmless;
    }
    let tokens = tokens(name);
    let has_word = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.as_str()));
    if advances(&words) {
        return if has_word(COMMITS_ANYWAY) || has_any(&words, COMMITS) { Hint::Commits } else { Hint::Advances };
    }
    if has_any(&words, COMMITS) || has_word(COMMITTING_WORDS) || is_any(&words, &["order"]) {
        return Hint::Commits;
    }
    if has_any(&words, HARMLESS) || SHOWS.iter().any(|verb| starts_with(&words, verb)) {
        return Hint::Harmless;
    }
    if has_any(&words, ENTERS) { Hint::Enters } else { Hint::Unknown }
}

/// A single word advances only where a name begins with it: `Review order`, not `Write a review`.
fn advances(words: &[String]) -> bool {
    ADVANCES.iter().any(
        |phrase| {
            if phrase_len(phrase) == 1 { starts_with(words, phrase) } else { has_phrase(words, phrase) }
        },
    )
}

/// Phrases that stay harmless beside a committing word: `Search bookings`, `Add to order`.
#[rustfmt::skip]
const HARMLESS_ANYWAY: &[&str] = &[
    "add to wishlist", "add to wish list", "add to list", "apply coupon", "apply code", "apply discount",
    "apply filter", "filter", "search", "continue shopping", "keep shopping", "sort by", "login", "finden",
    "weiter einkaufen",
];

/// Names that are harmless on a filter and send something on a form with a person's details: `Apply`.
#[must_use]
pub fn is_ambiguous(name: &str) -> bool {
    is_any(&stems(name), &["apply", "add", "go", "find", "open", "show", "select", "choose", "switch"])
}

/// Links are followed freely; these words say that following one already changes something.
#[rustfmt::skip]
const DESTRUCTIVE_LINKS: &[&str] = &[
    "delete", "erase", "unsubscribe", "confirm unsubscribe", "unsubscribe confirm", "cancel subscription",
    "cancel order", "cancel booking", "remove account", "close account", "deactivate", "loschen",
    "abmelden bestatigen", "kundigen", "supprimer", "desabonner", "eliminar", "borrar", "elimina", "verwijderen",
    "uitschrijven", "confirm order", "confirm payment", "pay now", "revoke", "place order", "buy with one click",
    "confirm delete", "confirm subscription",
];

/// Whether following a link with these words changes something by itself.
#[must_use]
pub fn is_destructive_link(words: &[String]) -> bool {
    has_any(words, DESTRUCTIVE_LINKS)
}

/// Whether a page's title or first lines say that what was entered is looked over once more before it is sent.
#[must_use]
pub fn is_review(words: &[String]) -> bool {
    has_any(
        words,
        &[
            "review your",
            "review and",
            "check your",
            "confirm your",
            "verify your",
            "almost done",
            "order summary",
            "summary of your",
            "last step",
            "final step",
            "please review",
            "please check",
            "please confirm",
        ],
    )
}

/// Whether the words answer a consent banner.
#[must_use]
pub fn answers_consent(words: &[String]) -> bool {
    const ANSWERS: &[&str] = &[
        "accept",
        "accept all",
        "agree",
        "i agree",
        "allow",
        "allow all",
        "ok",
        "okay",
        "got it",
        "reject",
        "reject all",
        "decline",
        "decline all",
        "deny",
        "refuse",
        "necessary",
        "essential",
        "only necessary",
        "save preferences",
        "save choices",
        "confirm choices",
        "confirm my choices",
        "close",
        "dismiss",
        "understood",
        "i understand",
        "akzeptieren",
        "ablehnen",
        "zustimmen",
        "accepter",
        "refuser",
        "aceptar",
        "rechazar",
        "accetta",
        "rifiuta",
        "accepteren",
        "weigeren",
        "manage",
        "preferences",
        "settings",
        "continue without",
        "no thanks",
    ];
    has_any(words, ANSWERS) && !buys_beside_consent(words)
}

/// Whether words that agree to something agree to more than cookies.
#[must_use]
pub fn buys_beside_consent(words: &[String]) -> bool {
    has_any(
        words,
        &["pay", "order", "buy", "subscribe", "subscription", "trial", "member", "terms of sale", "contract"],
    )
}

/// Whether the text is about cookies or privacy consent.
#[must_use]
pub fn is_about_consent(words: &[String]) -> bool {
    has_any(
        words,
        &[
            "cookie",
            "cookies",
            "consent",
            "gdpr",
            "privacy preferences",
            "tracking",
            "your privacy",
            "we value your privacy",
            "datenschutz",
            "personalised ads",
            "personalized ads",
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hint_at_what_a_button_does() {
        for (name, wanted) in [
            ("Place order", Hint::Commits),
            ("Pay $12.00", Hint::Commits),
            ("Submit", Hint::Commits),
            ("Jetzt kaufen", Hint::Commits),
            ("Continue and pay", Hint::Commits),
            ("Post", Hint::Commits),
            ("Order", Hint::Commits),
            ("Continue to payment", Hint::Advances),
            ("Proceed to checkout", Hint::Advances),
            ("Next", Hint::Advances),
            ("Add to cart", Hint::Harmless),
            ("In den Warenkorb", Hint::Harmless),
            ("Search", Hint::Harmless),
            ("My orders", Hint::Harmless),
            ("Sign in", Hint::Harmless),
            ("Sign out", Hint::Harmless),
            ("Apply filters", Hint::Harmless),
            ("Continue shopping", Hint::Harmless),
            ("Write a review", Hint::Unknown),
            ("Update details", Hint::Unknown),
            ("Review & submit", Hint::Commits),
            ("Add to order", Hint::Harmless),
            ("Electronics", Hint::Unknown),
            ("Payment methods", Hint::Unknown),
        ] {
            assert_eq!(hint(name), wanted, "{name}");
        }
    }
}
