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

export const JSON_TEXT: JsonObject = Object.freeze({ type: 'string', description: 'the value, written as JSON' });

export function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export const anyOf = (...choices: readonly Json[]): JsonObject => ({ anyOf: choices });

export const orNull = (schema: JsonObject): JsonObject => anyOf(...choicesOf(schema), { type: 'null' });

/** A value of the schema, or a binding in its place; and so on inside of it. */
export function bindable(schema: Json, root: JsonObject, depth: number): JsonObject {
  return anyOf(...choicesOf(portable(schema, root, depth)), BINDING);
}

const choicesOf = (schema: JsonObject): readonly Json[] => {
  const choices = own(schema, 'anyOf');
  return Array.isArray(choices) ? (choices as readonly Json[]) : [schema];
};

function portable(schema: Json, root: JsonObject, depth: number): JsonObject {
  const shape = shapeOf(schema, root, depth);
  switch (shape.kind) {
    case 'text':
      return JSON_TEXT;
    case 'scalar':
      return described(schema, root, { type: shape.type });
    case 'words':
      return described(schema, root, { ...typeOf(shape.words), enum: shape.words });
    case 'list':
      return { type: 'array', items: bindable(shape.items, root, depth + 1) };
    case 'choice':
      return anyOf(...shape.of.flatMap((each) => choicesOf(portable(each, root, depth + 1))));
    case 'record':
      return closed(Object.fromEntries(shape.fields.map((field) => [field.name, fieldOf(field, root, depth)])));
  }
}

function fieldOf({ schema, required }: Field, root: JsonObject, depth: number): JsonObject {
  const value = bindable(schema, root, depth + 1);
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
