//! The stories of one seed: what a front page ranks, and what its pages say about each.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use serde::Serialize;
use url::Url;

use crate::site::seed;

/// Stories on the front page.
pub const STORY_COUNT: usize = 30;

/// Titles of our own invention; some hold characters that escaping or normalising could spoil.
const TITLES: [&str; 33] = [
    "A lighthouse keeper's guide to slow computing",
    "Show: Tidepool, a database that fits in 40 KB",
    "Why our bakery schedules ovens with a solver",
    "The harbour clock has been wrong since 1911",
    "Parsing “smart” quotes & other small disasters",
    "Notes on building a kayak from cardboard",
    "Ask: how do you archive ten years of letters?",
    "Counting swifts with one cheap microphone",
    "Ein kurzer Blick auf alte Fahrpläne",
    "Compiling a language for looms",
    "The 3-2-1 rule is older than you think",
    "Mapping every bench in Østerbro",
    "A city that prints its own bus tickets",
    "Reverse-engineering a 1984 sewing machine",
    "We measured rain with pizza boxes",
    "Rope, knots <and> the mathematics of holding on",
    "Ten thousand steps in a three-metre room",
    "What the tram drivers' union taught us about queues",
    "Small maps: drawing coastlines in 512 bytes",
    "The quiet return of the paper timetable",
    "How to lose a chess game in six languages",
    "A field guide to loading spinners",
    "Growing tea at 58° north",
    "The last typewriter repair shop in town",
    "Zero-downtime gardening",
    "Fixing a pipe organ over a video call",
    "Postcards as a message queue",
    "An umbrella that knows too much",
    "Two hundred years of river levels, as CSV",
    "Why goats make poor network engineers",
    "The museum of failed door handles",
    "Copper prices and the telegraph, revisited",
    "Learning to read weather from cows",
];
const JOB_TITLES: [&str; 3] = [
    "Fernweh Rail is hiring a timetable engineer (Lisbon)",
    "Quayside Robotics is hiring firmware people",
    "Join Tidepool as engineer number five",
];
const HOSTS: [&str; 8] = [
    "harbour-gazette.example",
    "blog.tidepool.example",
    "slowbits.example",
    "letters.northshore.example",
    "fieldnotes.example",
    "www.tramways.example",
    "looms-and-logic.example",
    "openrivers.example",
];
const AUTHORS: [&str; 9] =
    ["mirabel", "otto_k", "saltmarsh", "juniper7", "fenwick", "a_lindqvist", "quill", "bram", "noor-d"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// One entry of the front page; a job posting has neither points nor author.
#[derive(Debug, Clone)]
pub struct Story {
    pub id: usize,
    pub title: &'static str,
    /// As it stands in the page: absolute, or relative to `/news`.
    pub href: String,
    /// The host shown after the title; none for stories on this site.
    pub label: Option<&'static str>,
    pub votes: Option<Votes>,
    pub age_hours: u32,
    /// Date of publication as (year, month 1..=12, day).
    pub published: (u16, u8, u8),
}

/// What readers gave a story.
#[derive(Debug, Clone)]
pub struct Votes {
    pub points: u32,
    pub author: &'static str,
    pub comments: u32,
}

/// What a reader of the front page should report for one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoldStory {
    /// The title as shown.
    pub title: String,
    /// The title's link, absolute.
    pub url: String,
    /// Points as shown; none for a job posting.
    pub points: Option<u32>,
}

impl Story {
    /// The date in words: `12 October 2026`.
    pub fn published_in_words(&self) -> String {
        let (year, month, day) = self.published;
        format!("{day} {} {year}", MONTHS[usize::from(month) - 1])
    }

    /// The date as RFC 3339 full-date.
    pub fn published_date(&self) -> String {
        let (year, month, day) = self.published;
        format!("{year}-{month:02}-{day:02}")
    }
}

/// The stories of `seed`, in rank order.
pub fn stories(seed: u64) -> Vec<Story> {
    let mut random = seed::generator(seed, "stories");
    let mut titles = TITLES;
    titles.shuffle(&mut random);
    // Below the top three: whether a job posting counts as a story is a question no reader should be graded on.
    let job_index = random.random_range(3..=11);
    (0..STORY_COUNT).map(|index| story(index, titles[index], index == job_index, &mut random)).collect()
}

/// The front page as data, with links made absolute against `front_url`.
pub fn gold(stories: &[Story], front_url: &str) -> Vec<GoldStory> {
    let base = Url::parse(front_url).expect("the site's own address is a URL");
    stories
        .iter()
        .map(|story| GoldStory {
            title: story.title.to_owned(),
            url: base.join(&story.href).expect("hrefs of the fixture are valid").to_string(),
            points: story.votes.as_ref().map(|votes| votes.points),
        })
        .collect()
}

fn story(index: usize, title: &'static str, is_job: bool, random: &mut impl Rng) -> Story {
    let id = index + 1;
    let host = HOSTS.choose(random).copied().expect("HOSTS is not empty");
    let (href, label) = match random.random_range(0..5) {
        0 => (format!("/news/item/{id}"), None),
        1 => (format!("news/item/{id}"), None),
        2 => (format!("https://{host}/read?story={id}&ref=front"), Some(host)),
        _ => (format!("https://{host}/2026/{}", slug(title)), Some(host)),
    };
    let votes = Votes {
        points: random.random_range(12..1900),
        author: AUTHORS.choose(random).copied().expect("AUTHORS is not empty"),
        comments: random.random_range(0..400),
    };
    let job_title = JOB_TITLES.choose(random).copied().expect("JOB_TITLES is not empty");
    Story {
        id,
        title: if is_job { job_title } else { title },
        href,
        label,
        votes: (!is_job).then_some(votes),
        age_hours: random.random_range(1..24),
        published: (2026, random.random_range(1..=11), random.random_range(1..=28)),
    }
}

fn slug(title: &str) -> String {
    let dashed: String =
        title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    dashed.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
