//! What a schema says about one place of the data: types, choices, formats, members. A reading for normalising and
//! grounding; only the compiled schema decides what is valid.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use errand_schema::Document;

use super::FieldNote;
use super::types::{Types, choices_of, types_of};

/// Nesting of `$ref`, `allOf`, `anyOf` … at one place that is read; deeper says nothing.
const IN_PLACE_DEPTH_MAX: usize = 16;
/// Schemas read at one place; more say nothing.
const IN_PLACE_SCHEMAS_MAX: usize = 128;

/// The schemas that speak about one place, and how they combine.
#[derive(Debug, Clone)]
pub(crate) enum Shape<'s> {
    Anything,
    Nothing,
    One(&'s Map<String, Value>),
    All(Vec<Shape<'s>>),
    Either(Vec<Shape<'s>>),
}

/// A schema document, to be asked for the shape of a place.
#[derive(Debug, Clone)]
pub(crate) struct Schema<'s>(Document<'s>);

impl<'s> Schema<'s> {
    pub(crate) fn new(root: &'s Value) -> Self {
        Self(Document::new(root))
    }

    pub(crate) fn top(&self) -> Shape<'s> {
        self.shape_of(self.0.root())
    }

    fn shape_of(&self, schema: &'s Value) -> Shape<'s> {
        let mut budget = IN_PLACE_SCHEMAS_MAX;
        self.expand(schema, 0, &mut budget)
    }

    fn expand(&self, schema: &'s Value, depth: usize, budget: &mut usize) -> Shape<'s> {
        let fields = match schema {
            Value::Bool(false) => return Shape::Nothing,
            Value::Object(fields) => fields,
            _ => return Shape::Anything,
        };
        if depth > IN_PLACE_DEPTH_MAX || *budget == 0 {
            return Shape::Anything;
        }
        *budget -= 1;
        let mut shapes = Vec::new();
        if let Some(target) = Document::reference(fields).and_then(|reference| self.0.resolve(reference)) {
            shapes.push(self.expand(target, depth + 1, budget));
        }
        let says_more = shapes.is_empty() || fields.len() > 1;
        if says_more && self.0.reads_siblings(fields) {
            shapes.push(Shape::One(fields));
            shapes.extend(self.listed(fields, "allOf", depth, budget).into_iter().flatten());
            for keyword in ["anyOf", "oneOf"] {
                shapes.extend(self.listed(fields, keyword, depth, budget).map(Shape::either));
            }
            if let (Some(then), Some(otherwise)) = (fields.get("then"), fields.get("else")) {
                let branches = [then, otherwise].map(|branch| self.expand(branch, depth + 1, budget));
                shapes.push(Shape::either(branches.into()));
            }
        }
        Shape::all(shapes)
    }

    fn listed(
        &self,
        fields: &'s Map<String, Value>,
        keyword: &str,
        depth: usize,
        budget: &mut usize,
    ) -> Option<Vec<Shape<'s>>> {
        let schemas = fields.get(keyword)?.as_array()?;
        Some(schemas.iter().map(|schema| self.expand(schema, depth + 1, budget)).collect())
    }

    /// The shape of an object's member.
    pub(crate) fn member(&self, shape: &Shape<'s>, name: &str) -> Shape<'s> {
        self.below(shape, &|fields| member_schema(fields, name)).bounded()
    }

    /// The shape of a list's item.
    pub(crate) fn item(&self, shape: &Shape<'s>, index: usize) -> Shape<'s> {
        self.below(shape, &|fields| item_schema(fields, index)).bounded()
    }

    fn below(&self, shape: &Shape<'s>, pick: &dyn Fn(&'s Map<String, Value>) -> Option<&'s Value>) -> Shape<'s> {
        match shape {
            Shape::Anything => Shape::Anything,
            Shape::Nothing => Shape::Nothing,
            Shape::One(fields) => pick(fields).map_or(Shape::Anything, |schema| self.shape_of(schema)),
            Shape::All(shapes) => Shape::all(shapes.iter().map(|part| self.below(part, pick)).collect()),
            Shape::Either(shapes) => Shape::either(shapes.iter().map(|part| self.below(part, pick)).collect()),
        }
    }
}

/// Combining leaves out what is said twice, so that a schema that reaches itself in two ways does not double at each
/// level of the data.
impl<'s> Shape<'s> {
    fn all(shapes: Vec<Self>) -> Self {
        let mut said: Vec<Self> = Vec::new();
        for shape in shapes {
            let parts = match shape {
                Self::Anything => continue,
                Self::All(parts) => parts,
                one => vec![one],
            };
            said.extend(parts);
        }
        match without_repeats(&mut said) {
            0 => Self::Anything,
            1 => said.remove(0),
            _ => Self::All(said),
        }
    }

    fn either(mut shapes: Vec<Self>) -> Self {
        match without_repeats(&mut shapes) {
            1 => shapes.remove(0),
            _ => Self::Either(shapes),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Anything, Self::Anything) | (Self::Nothing, Self::Nothing) => true,
            (Self::One(left), Self::One(right)) => std::ptr::eq(*left, *right),
            (Self::All(left), Self::All(right)) | (Self::Either(left), Self::Either(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same(right))
            }
            (Self::Anything | Self::Nothing | Self::One(_) | Self::All(_) | Self::Either(_), _) => false,
        }
    }

    /// Says nothing where too many schemas speak.
    fn bounded(self) -> Self {
        if self.schemas() > IN_PLACE_SCHEMAS_MAX { Self::Anything } else { self }
    }

    fn schemas(&self) -> usize {
        match self {
            Self::Anything | Self::Nothing | Self::One(_) => 1,
            Self::All(shapes) | Self::Either(shapes) => shapes.iter().map(Self::schemas).sum(),
        }
    }
}

/// Takes out repetitions and tells how many shapes are left.
fn without_repeats(shapes: &mut Vec<Shape<'_>>) -> usize {
    let mut at = 0;
    while at < shapes.len() {
        if shapes[..at].iter().any(|earlier| earlier.is_same(&shapes[at])) {
            shapes.remove(at);
        } else {
            at += 1;
        }
    }
    shapes.len()
}

fn member_schema<'s>(fields: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    if let Some(declared) = fields.get("properties").and_then(|properties| properties.get(name)) {
        return Some(declared);
    }
    let patterns = fields.get("patternProperties").and_then(Value::as_object);
    match patterns.map(|patterns| patterns.values().collect::<Vec<_>>()).as_deref() {
        Some([only]) => Some(only),
        Some([_, _, ..]) => None,
        Some([]) | None => fields.get("additionalProperties"),
    }
}

fn item_schema(fields: &Map<String, Value>, index: usize) -> Option<&Value> {
    let prefix = fields.get("prefixItems").or_else(|| fields.get("items")).and_then(Value::as_array);
    match prefix {
        Some(schemas) if index < schemas.len() => schemas.get(index),
        Some(_) => fields.get("additionalItems").or_else(|| fields.get("items").filter(|items| !items.is_array())),
        None => fields.get("items"),
    }
}

impl<'s> Shape<'s> {
    pub(crate) fn types(&self) -> Types {
        match self {
            Self::Anything => Types::ALL,
            Self::Nothing => Types::NONE,
            Self::One(fields) => types_of(fields),
            Self::All(shapes) => shapes.iter().fold(Types::ALL, |types, shape| types.and(shape.types())),
            Self::Either(shapes) => shapes.iter().fold(Types::NONE, |types, shape| types.or(shape.types())),
        }
    }

    /// Whether the keywords speak of an object or a list though no `type` says so.
    pub(crate) fn wants(&self, wanted: Types) -> bool {
        let types = self.types();
        types.is_only(wanted) || (types == Types::ALL && self.hints_at(wanted))
    }

    fn hints_at(&self, wanted: Types) -> bool {
        let keyword = if wanted == Types::OBJECT { "properties" } else { "items" };
        self.find(&|fields| fields.get(keyword)).is_some()
    }

    /// The values of `enum` and `const`, when there are no others.
    pub(crate) fn choices(&self) -> Option<Vec<&'s Value>> {
        match self {
            Self::Anything | Self::Nothing => None,
            Self::One(fields) => choices_of(fields),
            Self::All(shapes) => shapes.iter().find_map(Self::choices),
            Self::Either(shapes) => {
                let branches: Option<Vec<Vec<&'s Value>>> = shapes.iter().map(Self::branch_choices).collect();
                branches.map(|branches| branches.into_iter().flatten().collect())
            }
        }
    }

    fn branch_choices(&self) -> Option<Vec<&'s Value>> {
        let is_null = self.types() == Types::NULL;
        self.choices().or(is_null.then_some(vec![&Value::Null]))
    }

    pub(crate) fn permits_null(&self) -> bool {
        self.types().has(Types::NULL)
    }

    pub(crate) fn format(&self) -> Option<&'s str> {
        self.find(&|fields| fields.get("format"))?.as_str()
    }

    pub(crate) fn description(&self) -> Option<&'s str> {
        self.find(&|fields| fields.get("description"))?.as_str()
    }

    fn find(&self, pick: &dyn Fn(&'s Map<String, Value>) -> Option<&'s Value>) -> Option<&'s Value> {
        match self {
            Self::Anything | Self::Nothing => None,
            Self::One(fields) => pick(fields),
            Self::All(shapes) | Self::Either(shapes) => shapes.iter().find_map(|shape| shape.find(pick)),
        }
    }

    /// Whether the declared member is a list and nothing else.
    pub(crate) fn member_is_list(&self, name: &str) -> bool {
        let declared = |fields: &'s Map<String, Value>| fields.get("properties")?.get(name);
        let Some(Value::Object(member)) = self.find(&declared) else { return false };
        let is_named = types_of(member).is_only(Types::ARRAY);
        is_named || (!member.contains_key("type") && member.contains_key("items"))
    }

    /// Names under `properties`, in the order of the schema.
    pub(crate) fn declared(&self) -> Vec<&'s str> {
        let mut names = Vec::new();
        self.collect_declared(&mut names);
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    fn collect_declared(&self, names: &mut Vec<&'s str>) {
        match self {
            Self::Anything | Self::Nothing => {}
            Self::One(fields) => {
                let properties = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
                names.extend(properties.map(|(name, _)| name.as_str()));
            }
            Self::All(shapes) | Self::Either(shapes) => shapes.iter().for_each(|shape| shape.collect_declared(names)),
        }
    }

    pub(crate) fn required(&self) -> BTreeSet<&'s str> {
        match self {
            Self::Anything | Self::Nothing => BTreeSet::new(),
            Self::One(fields) => {
                let names = fields.get("required").and_then(Value::as_array).into_iter().flatten();
                names.filter_map(Value::as_str).collect()
            }
            Self::All(shapes) => shapes.iter().flat_map(Self::required).collect(),
            Self::Either(shapes) => {
                let required = shapes.iter().map(Self::required);
                required.reduce(|left, right| left.intersection(&right).copied().collect()).unwrap_or_default()
            }
        }
    }

    /// Whether the schema has no room for a member of that name.
    pub(crate) fn forbids(&self, name: &str) -> bool {
        let is_closed = self.find(&|fields| fields.get("unevaluatedProperties")) == Some(&Value::Bool(false));
        (is_closed && !self.declared().contains(&name)) || self.closes(name)
    }

    fn closes(&self, name: &str) -> bool {
        match self {
            Self::Anything => false,
            Self::Nothing => true,
            Self::One(fields) => {
                let is_closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
                let is_declared = fields.get("properties").is_some_and(|properties| properties.get(name).is_some());
                is_closed && !is_declared && !fields.contains_key("patternProperties")
            }
            Self::All(shapes) => shapes.iter().any(|shape| shape.closes(name)),
            Self::Either(shapes) => !shapes.is_empty() && shapes.iter().all(|shape| shape.closes(name)),
        }
    }

    /// Whether the schema says what undeclared members hold, so that their names are data too.
    pub(crate) fn is_map_key(&self, name: &str) -> bool {
        let describes = |keyword: &str| self.find(&|fields| fields.get(keyword)).is_some_and(Value::is_object);
        (describes("additionalProperties") || describes("patternProperties")) && !self.declared().contains(&name)
    }

    /// Whether items are told apart by their position, so that none may be taken out.
    pub(crate) fn is_tuple(&self) -> bool {
        let lists = |fields: &'s Map<String, Value>| {
            fields.get("prefixItems").or_else(|| fields.get("items").filter(|items| items.is_array()))
        };
        self.find(&lists).is_some()
    }

    /// Whether an empty list would be too short.
    pub(crate) fn wants_items(&self) -> bool {
        self.find(&|fields| fields.get("minItems")).and_then(Value::as_u64).is_some_and(|least| least > 0)
    }
}

pub(super) fn field_notes(schema: &Value) -> Vec<FieldNote> {
    let index = Schema::new(schema);
    let top = index.top();
    let holder = if top.declared().is_empty() && top.types().has(Types::ARRAY) { index.item(&top, 0) } else { top };
    let note = |name: &str| {
        let member = index.member(&holder, name);
        let description = member.description().map(str::to_owned);
        FieldNote { name: name.to_owned(), description, type_name: member.types().names() }
    };
    holder.declared().into_iter().map(note).collect()
}
