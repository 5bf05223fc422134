//! What the shop sells, with prices drawn from the seed.

use rand::Rng;

use crate::site::seed;

/// Name, what it is, and whether the shop shows it as a gift idea.
const PRODUCTS: [(&str, &str); 8] = [
    ("Blue Mug", "A stoneware mug with a wide handle, glazed in harbour blue."),
    ("Red Mug", "A stoneware mug with a wide handle, glazed in barn red."),
    ("Green Teapot", "A round teapot that pours without dripping, most days."),
    ("White Bowl", "A deep bowl for soup, cereal or keys."),
    ("Brass Spoon", "A heavy spoon that will outlive the drawer."),
    ("Oak Tray", "A tray of oiled oak with raised edges."),
    ("Linen Towel", "A kitchen towel of washed linen."),
    ("Copper Kettle", "A kettle of hammered copper with a wooden grip."),
];

/// The sizes every product comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The value in forms and the ledger.
    pub fn value(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    /// The word on the page.
    pub fn label(self) -> &'static str {
        match self {
            Self::Small => "Small",
            Self::Medium => "Medium",
            Self::Large => "Large",
        }
    }

    pub fn from_value(value: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.value() == value)
    }

    fn surcharge_cents(self) -> u32 {
        match self {
            Self::Small => 0,
            Self::Medium => 250,
            Self::Large => 600,
        }
    }
}

/// One product.
#[derive(Debug, Clone)]
pub struct Product {
    pub name: &'static str,
    pub description: &'static str,
    pub slug: String,
    pub sku: String,
    pub small_cents: u32,
    pub reviews: u32,
}

impl Product {
    pub fn price_cents(&self, size: Size) -> u32 {
        self.small_cents + size.surcharge_cents()
    }

    /// The letters that order numbers start with: `BM` for a Blue Mug.
    pub fn initials(&self) -> String {
        self.name.split(' ').filter_map(|word| word.chars().next()).collect()
    }
}

/// The products of `seed`, in the order the shop shows them.
pub fn products(seed: u64) -> Vec<Product> {
    let mut random = seed::generator(seed, "catalogue");
    PRODUCTS
        .iter()
        .map(|(name, description)| Product {
            name,
            description,
            slug: name.to_lowercase().replace(' ', "-"),
            sku: format!(
                "{}-{}",
                name.split(' ').next().unwrap_or(name).to_uppercase(),
                random.random_range(1000..9999)
            ),
            small_cents: random.random_range(8..60) * 100 + [0, 50, 95, 99][random.random_range(0..4)],
            reviews: random.random_range(3..900),
        })
        .collect()
}
