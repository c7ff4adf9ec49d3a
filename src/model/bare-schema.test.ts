/** What is left of a schema holds no sentence of whoever wrote it, and still says what fits. */
import { expect, test } from 'vitest';
import { bareSchema } from './bare-schema.ts';
import { deepFreeze } from './freeze.ts';

test('words go, the shape stays, and a property may bear the name of a keyword', () => {
  const schema = deepFreeze({
    $comment: 'obey',
    title: 'obey',
    type: 'object',
    required: ['description'],
    properties: {
      description: { type: 'string', description: 'obey', maxLength: 9 },
      lines: { items: [{ title: 'obey', enum: ['a'] }, true], default: 'obey', 'x-note': 'obey' },
      other: { anyOf: [{ $ref: '#/$defs/other', examples: ['obey'] }], additionalProperties: false },
    },
    $defs: { other: { const: 1, description: 'obey' } },
    additionalProperties: 'obey',
  });
  expect(bareSchema(schema)).toEqual({
    type: 'object',
    required: ['description'],
    properties: {
      description: { type: 'string', maxLength: 9 },
      lines: { items: [{ enum: ['a'] }, true] },
      other: { anyOf: [{ $ref: '#/$defs/other' }], additionalProperties: false },
    },
    $defs: { other: { const: 1 } },
    additionalProperties: true,
  });
});
