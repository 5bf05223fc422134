//! Webhook deliveries of one run as an aggregate of their own (DESIGN §8): at most one claim per event exists, in order,
//! whatever replicas run.

mod decide;
mod event;
mod evolve;
mod state;
#[cfg(test)]
mod tests;

pub use decide::{DeliveryCommand, DeliveryRejection, decide, due};
pub use event::{DeliveryClaimed, DeliveryEvent, DeliveryOutcome, DeliveryResolved, WebhookEvent};
pub use evolve::{CorruptDeliveries, evolve, fold};
pub use state::{Deliveries, Delivery};
