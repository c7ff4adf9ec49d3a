import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exact, exactObject, JsonValue } from './exact.ts';
import type { Json } from './json.ts';

interface Part {
  readonly id: string;
  readonly tags: readonly string[];
  readonly kind: 'a' | 'b';
  readonly value: Json;
  readonly note?: { readonly text?: string };
}
const fields = { id: z.string(), tags: z.array(z.string()), kind: z.enum(['a', 'b']), value: JsonValue };
const note = z.strictObject({ text: z.string().exactOptional() }).exactOptional();

describe('an exact schema', () => {
  it('parses as the inner schema does', () => {
    const Part: z.ZodType<Part> = exactObject({ ...fields, note });
    const part = { id: '1', tags: [], kind: 'a', value: [null], note: {} };
    expect(Part.parse(part)).toEqual(part);
    expect(Part.safeParse({ ...part, more: 1 }).success).toBe(false);
    const PartOrNull: z.ZodType<Part | null> = exact(Part.nullable());
    expect(PartOrNull.parse(null)).toBeNull();
  });

  it('does not compile if a field, its type or its optionality differs', () => {
    // @ts-expect-error: the type alone has `note`
    const lacks: z.ZodType<Part> = exactObject(fields);
    // @ts-expect-error: the schema alone has `more`
    const adds: z.ZodType<Part> = exactObject({ ...fields, note, more: z.string().exactOptional() });
    // @ts-expect-error: the type allows 'b'
    const narrower: z.ZodType<Part> = exactObject({ ...fields, note, kind: z.literal('a') });
    // @ts-expect-error: `optional` allows an explicit undefined, the type does not
    const looser: z.ZodType<Part> = exactObject({ ...fields, note: note.optional() });
    // @ts-expect-error: the type alone has `text`, one level down
    const deeper: z.ZodType<Part> = exactObject({ ...fields, note: z.strictObject({}).exactOptional() });
    // @ts-expect-error: the type allows null
    const other: z.ZodType<Part | null> = exact(z.strictObject({ ...fields, note }));
    expect([lacks, adds, narrower, looser, deeper, other]).toHaveLength(6);
  });
});
