//! Pauses and the replies that end them.

use errand_domain::ids::BlobKey;
use errand_domain::run::{HumanAsked, PauseKind, Proposal, Reply, SentValue, Stakes};
use wire::human_replied::Reply as Kind;

use crate::error::DecodeError;
use crate::field::{enumeration, kind, optional_blob, required, unspecified};
use crate::page::{read_pages, read_usage, write_pages, write_usage};
use crate::wire;

impl From<&HumanAsked> for wire::HumanAsked {
    fn from(asked: &HumanAsked) -> Self {
        let blob_text = |blob: &BlobKey| blob.as_str().to_owned();
        Self {
            pause: asked.pause,
            step: asked.step,
            attempt: asked.attempt,
            kind: wire::PauseKind::from(asked.kind).into(),
            prompt: asked.prompt.clone(),
            fields: asked.fields.clone(),
            options: asked.options.clone(),
            proposal: asked.proposal.as_ref().map(wire::Proposal::from),
            url: asked.url.clone(),
            pages: write_pages(&asked.pages),
            screenshot: asked.screenshot.as_ref().map(blob_text),
            checkpoint: asked.checkpoint.as_ref().map(blob_text),
            usage: write_usage(asked.usage),
            stakes: (!asked.stakes.is_empty()).then(|| (&asked.stakes).into()),
        }
    }
}

pub(crate) fn read_asked(asked: wire::HumanAsked) -> Result<HumanAsked, DecodeError> {
    let screenshot = asked.screenshot.as_ref();
    let checkpoint = asked.checkpoint.as_ref();
    Ok(HumanAsked {
        pause: asked.pause,
        step: asked.step,
        attempt: asked.attempt,
        kind: read_pause_kind(asked.kind)?,
        prompt: asked.prompt,
        fields: asked.fields,
        options: asked.options,
        proposal: asked.proposal.map(Proposal::try_from).transpose()?,
        url: asked.url,
        screenshot: optional_blob(screenshot, "human_asked.screenshot")?,
        checkpoint: optional_blob(checkpoint, "human_asked.checkpoint")?,
        pages: read_pages(asked.pages)?,
        usage: read_usage(asked.usage),
        stakes: asked.stakes.map(Stakes::from).unwrap_or_default(),
    })
}

impl From<&Stakes> for wire::Stakes {
    fn from(stakes: &Stakes) -> Self {
        let value = |value: &SentValue| wire::SentValue {
            name: value.name.clone(),
            label: value.label.clone(),
            value: value.value.clone(),
        };
        Self {
            total: stakes.total.clone(),
            items: stakes.items.clone(),
            target: stakes.target.clone(),
            values: stakes.values.iter().map(value).collect(),
        }
    }
}

impl From<wire::Stakes> for Stakes {
    fn from(stakes: wire::Stakes) -> Self {
        let value = |value: wire::SentValue| SentValue { name: value.name, label: value.label, value: value.value };
        Self {
            total: stakes.total,
            items: stakes.items,
            target: stakes.target,
            values: stakes.values.into_iter().map(value).collect(),
        }
    }
}

impl From<&Proposal> for wire::Proposal {
    fn from(proposal: &Proposal) -> Self {
        Self {
            action: Some((&proposal.action).into()),
            label: proposal.label.clone(),
            url: proposal.url.clone(),
            digest: proposal.digest.clone(),
            in_doubt: proposal.in_doubt,
            request: proposal.request.clone(),
        }
    }
}

impl TryFrom<wire::Proposal> for Proposal {
    type Error = DecodeError;

    fn try_from(proposal: wire::Proposal) -> Result<Self, DecodeError> {
        Ok(Self {
            action: required(proposal.action, "human_asked.proposal.action")?.try_into()?,
            label: proposal.label,
            url: proposal.url,
            digest: proposal.digest,
            in_doubt: proposal.in_doubt,
            request: proposal.request,
        })
    }
}

pub(crate) fn write_reply(pause: u32, reply: &Reply) -> wire::HumanReplied {
    let kind = match reply {
        Reply::Answer { answer } => Kind::Answer(wire::Answer { answer: answer.clone() }),
        Reply::Approve => Kind::Approve(wire::Approve {}),
        Reply::Refuse { note } => Kind::Refuse(wire::Refuse { note: note.clone() }),
        Reply::Done => Kind::Done(wire::Done {}),
    };
    wire::HumanReplied { pause, reply: Some(kind) }
}

pub(crate) fn read_reply(replied: wire::HumanReplied) -> Result<Reply, DecodeError> {
    let reply = match kind(replied.reply, "human_replied.reply")? {
        Kind::Answer(answer) => Reply::Answer { answer: answer.answer },
        Kind::Approve(wire::Approve {}) => Reply::Approve,
        Kind::Refuse(refuse) => Reply::Refuse { note: refuse.note },
        Kind::Done(wire::Done {}) => Reply::Done,
    };
    Ok(reply)
}

fn read_pause_kind(kind: i32) -> Result<PauseKind, DecodeError> {
    match enumeration(kind, "human_asked.kind")? {
        wire::PauseKind::Unspecified => Err(unspecified("human_asked.kind")),
        wire::PauseKind::Question => Ok(PauseKind::Question),
        wire::PauseKind::Approval => Ok(PauseKind::Approval),
        wire::PauseKind::Handoff => Ok(PauseKind::Handoff),
    }
}

impl From<PauseKind> for wire::PauseKind {
    fn from(kind: PauseKind) -> Self {
        match kind {
            PauseKind::Question => Self::Question,
            PauseKind::Approval => Self::Approval,
            PauseKind::Handoff => Self::Handoff,
        }
    }
}
