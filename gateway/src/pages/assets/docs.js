// Shows /openapi.json: the calls by tag, then the schemas. Everything is text.

import { el, fill } from "/assets/dom.js";

const METHODS = ["get", "post", "put", "delete"];

const description = await (await fetch("/openapi.json")).json();

function resolve(value) {
  if (!value?.$ref) return value;
  const found = value.$ref.slice(2).split("/").reduce((at, name) => at[name], description);
  // A call may say what an answer means for it.
  return value.description ? { ...found, description: value.description } : found;
}

function calls() {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })));
}

function table(names, rows) {
  return el("div", { class: "scroll", tabindex: "0" }, el("table", {},
    el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell)))))));
}

function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    return el("a", { href: `#schema-${name}` }, name);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return el("span", {}, choices.flatMap((choice, index) => [index ? " | " : "", typeOf(choice)]));
  if (schema.type === "array") return el("span", {}, "list of ", typeOf(schema.items) || "anything");
  return [schema.type ?? "anything"].flat().join(" | ");
}

// Text in backquotes is code.
function prose(text) {
  return (text ?? "").split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

function call({ path, method, operationId, summary, description: text, parameters, requestBody, responses }) {
  const content = [
    el("h3", {}, el("span", { class: "method" }, method), el("code", {}, path)),
    el("p", {}, summary, ".", text ? el("span", { class: "soft" }, " ", prose(text)) : null),
  ];
  const found = (parameters ?? []).map(resolve);
  if (found.length) {
    content.push(table(["Parameter", "In", "Type", "Meaning"], found.map((parameter) =>
      [el("code", {}, parameter.name), parameter.in, typeOf(parameter.schema), prose(parameter.description)])));
  }
  if (requestBody) {
    const body = Object.values(resolve(requestBody).content)[0];
    content.push(el("p", {}, "Body: ", typeOf(body.schema)));
    if (body.example) content.push(el("pre", { tabindex: "0" }, JSON.stringify(body.example, null, 2)));
  }
  content.push(table(["Status", "Answer", "Meaning"], Object.entries(responses).map(([status, response]) => {
    const { description: meaning, content: kinds } = resolve(response);
    const [type, body] = Object.entries(kinds ?? {})[0] ?? [];
    return [status, type === "application/json" ? typeOf(body.schema) : type ?? "", prose(meaning)];
  })));
  return el("article", { class: "card call", id: operationId }, content);
}

function schema([name, value]) {
  const required = new Set(value.required ?? []);
  const rows = Object.entries(value.properties ?? {}).map(([field, type]) =>
    [el("code", {}, field), typeOf(type), required.has(field) ? "always" : "", prose(type.description)]);
  return el("section", { class: "card schema", id: `schema-${name}` },
    el("h3", {}, name),
    value.description ? el("p", {}, prose(value.description)) : null,
    rows.length ? table(["Field", "Type", "Present", "Meaning"], rows) : el("p", {}, typeOf(value)),
    value.example ? el("pre", { tabindex: "0" }, JSON.stringify(value.example, null, 2)) : null);
}

const all = calls();
const contents = el("ul", { class: "contents" }, all.map((entry) =>
  el("li", {}, el("a", { href: `#${entry.operationId}` }, entry.summary))));
const sections = description.tags.flatMap((tag) => [
  el("h2", {}, tag.name), el("p", { class: "soft" }, prose(tag.description)),
  all.filter((entry) => entry.tags.includes(tag.name)).map(call),
]);
fill(document.getElementById("docs"), [
  el("section", { class: "card" }, el("h1", {}, `${description.info.title} ${description.info.version}`),
    el("p", { class: "intro" }, prose(description.info.description)), contents),
  sections,
  el("h2", {}, "Schemas"),
  Object.entries(description.components.schemas).map(schema),
]);
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
