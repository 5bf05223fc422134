//! The front page in three layouts, chosen by the seed: a table, cards, an ordered list. Advertisements stand between.

use super::stories::Story;
use crate::site::html::{escape, thousands};

/// An advertisement follows each of these ranks; the first stands among the top three on purpose.
const PROMO_AFTER: [usize; 3] = [2, 9, 20];

/// The stories as HTML in the layout of `seed`.
pub fn render(seed: u64, stories: &[Story]) -> String {
    match seed % 3 {
        0 => table(stories),
        1 => cards(stories),
        _ => list(stories),
    }
}

fn table(stories: &[Story]) -> String {
    let mut rows = String::new();
    for story in stories {
        rows.push_str(&table_rows(story));
        if PROMO_AFTER.contains(&story.id) {
            rows.push_str(
                "<tr class=\"promo\"><td></td><td>Sponsored · <a href=\"https://ads.example/kettles\">Kettles that listen. 20 % off today</a></td></tr>\n",
            );
        }
    }
    format!("<table id=\"front\">\n{rows}<tr><td></td><td><a href=\"/news/older\">More</a></td></tr></table>")
}

fn table_rows(story: &Story) -> String {
    let label =
        story.label.map(|host| format!(" <span class=\"site\">(<a href=\"/news/search?q={host}\">{host}</a>)</span>"));
    let meta = match &story.votes {
        Some(votes) => format!(
            "<span class=\"score\">{} points</span> by <a href=\"/news/by/{author}\">{author}</a> <a href=\"/news/item/{id}\">{age}</a> | <a href=\"/news/item/{id}\">{} comments</a>",
            votes.points,
            votes.comments,
            author = votes.author,
            id = story.id,
            age = age(story),
        ),
        None => format!("<a href=\"/news/item/{}\">{}</a>", story.id, age(story)),
    };
    format!(
        "<tr class=\"entry\"><td class=\"rank\">{}.</td><td><a class=\"headline\" href=\"{}\">{}</a>{}</td></tr>\n\
         <tr><td></td><td class=\"small\">{meta}</td></tr>\n",
        story.id,
        escape(&story.href),
        escape(story.title),
        label.unwrap_or_default(),
    )
}

fn cards(stories: &[Story]) -> String {
    let mut cards = String::new();
    for story in stories {
        cards.push_str(&card(story));
        if PROMO_AFTER.contains(&story.id) {
            cards.push_str(
                "<aside class=\"promo\"><h2><a href=\"https://ads.example/boots\">Boots for every puddle</a></h2><p>Promoted · from $89</p></aside>\n",
            );
        }
    }
    format!("<main>\n{cards}</main><p><a href=\"/news/older\">Older stories</a></p>")
}

fn card(story: &Story) -> String {
    let source = story.label.unwrap_or("this site");
    let footer = match &story.votes {
        Some(votes) => format!(
            "<span>{} points</span> · {} · <a href=\"/news/by/{author}\">{author}</a> · <a href=\"/news/item/{}\">{} comments</a>",
            thousands(votes.points),
            age(story),
            story.id,
            votes.comments,
            author = votes.author,
        ),
        None => format!("<span>Job</span> · {}", age(story)),
    };
    format!(
        "<article class=\"card\"><h2><a href=\"{}\">{}</a></h2><p class=\"small\">{source}</p><footer class=\"small\">{footer}</footer></article>\n",
        escape(&story.href),
        escape(story.title),
    )
}

fn list(stories: &[Story]) -> String {
    let mut items = String::new();
    for story in stories {
        items.push_str(&list_item(story));
        if PROMO_AFTER.contains(&story.id) {
            items.push_str("<li class=\"promo\" style=\"list-style:none\" value=\"0\"><small>Ad</small> <a href=\"https://ads.example/maps\">Paper maps, printed overnight</a></li>\n");
        }
    }
    format!("<ol class=\"stories\">\n{items}</ol><p><a href=\"/news/older\">Next page</a></p>")
}

fn list_item(story: &Story) -> String {
    let source = story.label.map(|host| format!(" <small>{host}</small>")).unwrap_or_default();
    let meta = match &story.votes {
        Some(votes) => format!(
            "<b>{}</b> points, {} comments, posted {} by {}",
            votes.points,
            votes.comments,
            age(story),
            votes.author,
        ),
        None => format!("posted {}", age(story)),
    };
    format!(
        "<li value=\"{}\"><a href=\"{}\">{}</a>{source}<div class=\"small\">{meta}</div></li>\n",
        story.id,
        escape(&story.href),
        escape(story.title),
    )
}

fn age(story: &Story) -> String {
    match story.age_hours {
        1 => "1 hour ago".to_owned(),
        hours => format!("{hours} hours ago"),
    }
}
