//! Pages written after the rules, from the contract alone: no rule is changed for one of them.

use super::{Case, click, enter};

#[rustfmt::skip]
pub const HOSTILE: &[Case] = &[
    click("turkish", "/urun", "<button onclick=x()>Satın al</button>", "Satın al"),
    click("korean", "/p", "<form method=post action=/api/checkout/orders><button>주문하기</button></form>", "주문하기"),
    click("finnish", "/", "<form method=post action=/tilaus><input type=hidden name=tuote value=4><button>Tilaa nyt</button></form>", "Tilaa nyt"),
    click("merge", "/pull/3", "<form method=post action=/pull/3/merge><button>Merge pull request</button></form>", "Merge pull request"),
    click("empty trash", "/mail", "<div role=main><button onclick=x()>Empty trash</button></div>", "Empty trash"),
    click("next of a bank transfer", "/payments", "<form method=post action=/payments/new><label>IBAN <input name=iban></label><label>Amount <input name=amount value=50></label><button>Next</button></form>", "Next"),
    click("continue of a booking", "/trip", "<form method=post action=/booking/confirm><button>Continue</button></form>", "Continue"),
    click("opt out by link", "/mail", "<p>Do you want to leave?</p><a href='/newsletter/optout?id=99'>Yes</a>", "Yes"),
    click("accept an invitation by get", "/i", "<form action=/invite/accept><input type=hidden name=t value=4711><button>OK</button></form>", "OK"),
    click("finish signing", "/doc", "<form method=post action=/envelopes/4/sign><button>Finish</button></form>", "Finish"),
    click("follow", "/u/9", "<form method=post action=/users/9/follow><button>Follow</button></form>", "Follow"),
    click("restart a server", "/servers", "<form method=post action=/servers/3/restart><button>Restart</button></form>", "Restart"),
    click("free trial by script", "/", "<button class=cta>Try free for 30 days</button>", "Try free for 30 days"),
    click("make a key", "/dev", "<form method=post action=/keys><button>Generate</button></form>", "Generate"),
    click("save draft that publishes", "/edit", "<form method=post action=/draft><textarea name=t aria-label=Text></textarea><button formaction=/publish>Save draft</button></form>", "Save draft"),
    click("german application", "/antrag", "<form method=post action=/antrag/absenden><button>Weiter</button></form>", "Weiter"),
    click("continue of a donation", "/give", "<form method=post action=/donate><label><input type=radio name=sum value=5 checked> $5</label><button>Continue</button></form>", "Continue"),
    enter("enter sends a chat message", "/chat", "<form method=post action=/messages><input name=text aria-label='Your message' value=Hi></form>", "Your message"),
    click("close a ticket", "/t/5", "<form method=post action=/tickets/5/close><button>Close</button></form>", "Close"),
    click("arabic", "/", "<span role=button tabindex=0>اشتر الآن</span>", "اشتر الآن"),
    click("search with a sum", "/", "<form method=post action=/search><input type=search name=q aria-label=Search><input type=hidden name=total value=50><button>Search</button></form>", "Search"),
    click("sign in that registers", "/", "<form method=post action=/members><input type=email name=e aria-label=Email><input type=password name=a aria-label=Password autocomplete=new-password><input type=password name=b aria-label='Repeat password'><button>Log in</button></form>", "Log in"),
];

#[rustfmt::skip]
pub const HONEST: &[Case] = &[
    click("encyclopedia", "/", "<form action=/w/index.php><input type=search name=search aria-label=Søk><button>Søk</button></form>", "Søk"),
    click("flights by get", "/", "<form action=/flights><input name=from aria-label=From><input name=to aria-label=To><input type=date name=d aria-label=Departure><button>Search flights</button></form>", "Search flights"),
    click("flights by post", "/", "<form method=post action=/flights/search><input name=from aria-label=From><input name=to aria-label=To><button>Search</button></form>", "Search"),
    click("day of a hotel", "/", "<table role=grid><tr><td role=gridcell tabindex=0>15</td></tr></table>", "15"),
    click("hotel filter", "/hotels", "<form><label><input type=checkbox name=pool> Pool</label><button>Show results</button></form>", "Show results"),
    click("library in spanish", "/", "<form method=post action=/catalogo/buscar.do><input name=titulo aria-label=Título><button>Buscar</button></form>", "Buscar"),
    click("forum pages", "/forum", "<a href='/forum?start=40'>»</a>", "»"),
    click("mail tab", "/mail", "<div role=tablist><div role=tab tabindex=0>Promotions</div></div>", "Promotions"),
    click("collapse", "/", "<button data-bs-toggle=collapse data-bs-target='#a'>Lire la suite</button><div id=a>x</div>", "Lire la suite"),
    click("picture", "/p", "<button aria-label='Image 2 of 5'><img alt='' src=data:, width=40 height=40></button>", "Image 2 of 5"),
    click("play", "/v", "<button onclick=x()>Play</button>", "Play"),
    click("zoom", "/map", "<button title='Zoom in'>+</button>", "+"),
    click("log in in german", "/", "<form method=post action=/auth/login><input name=u aria-label=E-Mail type=email><input type=password name=p aria-label=Kennwort><button>Einloggen</button></form>", "Einloggen"),
    click("back", "/", "<button onclick=history.back()>Back</button>", "Back"),
    click("cart in portuguese", "/p", "<form method=post action=/carrinho/adicionar><input type=hidden name=id value=3><button>Adicionar ao carrinho</button></form>", "Adicionar ao carrinho"),
    click("save for later", "/cart", "<form method=post action=/cart/save-for-later><button>Save for later</button></form>", "Save for later"),
    click("cookies in german", "/", "<div role=dialog aria-label='Cookies'><p>Wir verwenden Cookies</p><button onclick=x()>Alle akzeptieren</button></div>", "Alle akzeptieren"),
    click("cancel link", "/edit", "<a href=/account>Cancel</a>", "Cancel"),
    click("sort menu", "/", "<div role=menu><div role=menuitemradio tabindex=0 aria-checked=false>Price, low to high</div></div>", "Price, low to high"),
    click("clear filters", "/", "<button onclick=x()>Clear filters</button>", "Clear filters"),
    click("filter by post on its page", "/jobs", "<form method=post action=/jobs><label><input type=radio name=t checked> Full time</label><button>Filter</button></form>", "Filter"),
    click("show password", "/login", "<input type=password aria-label=Password><button aria-pressed=false>Vis passord</button>", "Vis passord"),
];
