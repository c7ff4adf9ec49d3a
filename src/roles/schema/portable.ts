import type { Json, JsonObject } from '../../model/json.ts';
import { own } from '../../model/own.ts';
import { acceptsNull, type Field, resolved, shapeOf } from './shape.ts';

/**
 * JSON Schema as all providers accept it: no references, no bounds, no open objects; every property is required, and
 * what may be left out may be null instead. It says less than a tool's own schema and nothing that contradicts it:
 * the tool's schema is what a plan is held to.
 */
const BINDING: JsonObject = closed({
  $from: { type: 'string', description: 'id of an earlier step' },
  path: { type: 'string', description: 'JSON Pointer into what it returns' },
});

/** Something that is written when the step comes up, from what is given for it. */
const DRAFT: JsonObject = closed({
  $draft: { type: 'string', description: 'what is to be written here when the step comes up' },
  using: { type: 'array', items: anyOf(BINDING, { type: 'string' }), description: 'what it is written from' },
});

/** What may stand in the place of a value, by how deep it stands: 0 for the arguments as a whole. */
export type Holes = (depth: number) => readonly JsonObject[];

export const BOUND: Holes = () => [BINDING];
/** Single arguments may be left open: most that anybody would have written are one of them. */
export const BOUND_OR_DRAFTED: Holes = (depth) => (depth === 1 ? [BINDING, DRAFT] : [BINDING]);
export const WRITTEN_OUT: Holes = () => [];

export const JSON_TEXT: JsonObject = Object.freeze({ type: 'string', description: 'the value, written as JSON' });

export function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function anyOf(...choices: readonly Json[]): JsonObject {
  return { anyOf: choices };
}

export const orNull = (schema: JsonObject): JsonObject => anyOf(...choicesOf(schema), { type: 'null' });

/** A value of the schema, or what may stand in its place; and so on inside of it. */
export function portableValue(schema: Json, root: JsonObject, holes: Holes, depth = 0): JsonObject {
  const value = portable(schema, root, holes, depth);
  const instead = holes(depth);
  return instead.length === 0 ? value : anyOf(...choicesOf(value), ...instead);
}

const choicesOf = (schema: JsonObject): readonly Json[] => {
  const choices = own(schema, 'anyOf');
  return Array.isArray(choices) ? (choices as readonly Json[]) : [schema];
};

function portable(schema: Json, root: JsonObject, holes: Holes, depth: number): JsonObject {
  const shape = shapeOf(schema, root, depth);
  switch (shape.kind) {
    case 'text':
      return JSON_TEXT;
    case 'scalar':
      return described(schema, root, { type: shape.type });
    case 'words':
      return described(schema, root, { ...typeOf(shape.words), enum: shape.words });
    case 'list':
      return { type: 'array', items: portableValue(shape.items, root, holes, depth + 1) };
    case 'choice':
      return anyOf(...shape.of.flatMap((each) => choicesOf(portable(each, root, holes, depth + 1))));
    case 'record':
      return closed(Object.fromEntries(shape.fields.map((field) => [field.name, fieldOf(field, root, holes, depth)])));
  }
}

function fieldOf({ schema, required }: Field, root: JsonObject, holes: Holes, depth: number): JsonObject {
  const value = portableValue(schema, root, holes, depth + 1);
  return required || acceptsNull(schema, root, depth + 1) ? value : orNull(value);
}

function typeOf(words: readonly Json[]): JsonObject {
  const types = new Set(words.map((word) => (word === null ? 'null' : typeof word)));
  const [only] = types;
  return types.size === 1 && only !== undefined ? { type: only } : {};
}

const DESCRIPTION_MAX = 200;

function described(schema: Json, root: JsonObject, plain: JsonObject): JsonObject {
  const description = own(resolved(schema, root, 0) ?? {}, 'description');
  if (typeof description !== 'string' || description === '') return plain;
  return { ...plain, description: description.slice(0, DESCRIPTION_MAX).toWellFormed() };
}
