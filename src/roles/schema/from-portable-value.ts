import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { looksLikeBinding, looksLikeDraft } from '../../model/plan/plan.ts';
import { acceptsNull, shapeOf } from './shape.ts';

/**
 * Converts a value from the portable schema back to the tool's own: drops null for optional fields and parses JSON
 * text. A value that fits no shape stays unchanged, for the critic to refuse.
 */
export function fromPortableValue(value: Json, schema: Json, root: JsonObject, depth = 0): Json {
  if (looksLikeBinding(value) || looksLikeDraft(value)) return value;
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'text') return typeof value === 'string' ? fromText(value) : value;
  if (shape.kind === 'list' && isJsonList(value)) {
    return value.map((item) => fromPortableValue(item, shape.items, root, depth + 1));
  }
  if (shape.kind === 'record' && isJsonObject(value)) {
    const fields = new Map(shape.fields.map((field) => [field.name, field]));
    const kept = Object.entries(value).flatMap(([name, child]): readonly (readonly [string, Json])[] => {
      const field = fields.get(name);
      if (field === undefined) return [[name, child]];
      const absent = child === null && !field.required && !acceptsNull(field.schema, root, depth + 1);
      return absent ? [] : [[name, fromPortableValue(child, field.schema, root, depth + 1)]];
    });
    return Object.fromEntries(kept);
  }
  if (shape.kind === 'choice') {
    const meant = shape.of.find((each) => isMeant(value, each, root, depth + 1));
    return meant === undefined ? value : fromPortableValue(value, meant, root, depth + 1);
  }
  return value;
}

/** Whether a value was probably written for this one of several schemas. */
function isMeant(value: Json, schema: Json, root: JsonObject, depth: number): boolean {
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'record') return isJsonObject(value);
  if (shape.kind === 'list') return isJsonList(value);
  if (shape.kind === 'words') return shape.words.some((word) => word === value);
  if (shape.kind === 'scalar') return typeof value === (shape.type === 'integer' ? 'number' : shape.type);
  return shape.kind === 'text' && typeof value === 'string';
}

function fromText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not JSON, so the text itself is the value.
    return text;
  }
}
