//! Terms of published vocabularies, which pages show in words of their own.

/// Whether the text is one of schema.org's `ItemAvailability`.
pub(super) fn is_availability(text: &str) -> bool {
    AVAILABILITIES.contains(&text)
}

const AVAILABILITIES: [&str; 12] = [
    "BackOrder",
    "Discontinued",
    "InStock",
    "InStoreOnly",
    "LimitedAvailability",
    "MadeToOrder",
    "OnlineOnly",
    "OutOfStock",
    "PreOrder",
    "PreSale",
    "Reserved",
    "SoldOut",
];
