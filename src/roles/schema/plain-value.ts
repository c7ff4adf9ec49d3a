import { looksLikeDraft } from '../../model/draft.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { looksLikeBinding } from '../../model/plan.ts';
import { acceptsNull, shapeOf } from './shape.ts';

/**
 * A value as a model wrote it, back in the words of the tool's own schema: null for what may be left out is left out,
 * and JSON text stands for what it says. Whatever fits no shape stays as it is, for the Critic to refuse.
 */
export function plainValue(value: Json, schema: Json, root: JsonObject, depth = 0): Json {
  if (looksLikeBinding(value) || looksLikeDraft(value)) return value;
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'text') return typeof value === 'string' ? fromText(value) : value;
  if (shape.kind === 'list' && isJsonList(value)) {
    return value.map((item) => plainValue(item, shape.items, root, depth + 1));
  }
  if (shape.kind === 'record' && isJsonObject(value)) {
    const fields = new Map(shape.fields.map((field) => [field.name, field]));
    const kept = Object.entries(value).flatMap(([name, child]): readonly (readonly [string, Json])[] => {
      const field = fields.get(name);
      if (field === undefined) return [[name, child]];
      const absent = child === null && !field.required && !acceptsNull(field.schema, root, depth + 1);
      return absent ? [] : [[name, plainValue(child, field.schema, root, depth + 1)]];
    });
    return Object.fromEntries(kept);
  }
  if (shape.kind === 'choice') {
    const meant = shape.of.find((each) => isMeant(value, each, root, depth + 1));
    return meant === undefined ? value : plainValue(value, meant, root, depth + 1);
  }
  return value;
}

/** Which of several schemas a value is most likely written for. Text is tried last, and only where no other is text. */
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
    // Not JSON: then it is the text itself that was meant.
    return text;
  }
}
