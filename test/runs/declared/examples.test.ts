/** Examples of tools with a plain JSON Schema are validated against it at construction. */
import { expect, test } from 'vitest';
import { rig } from '../rig.ts';

const SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, n: { type: 'integer' } },
  required: ['id'],
} as const;
const assemble = (params: object) => () =>
  rig({
    tools: { look: { input_schema: SCHEMA, examples: [{ use: 'so', params: params as never }], produces: ['done'] } },
  });

test("rejects an example that does not match the tool's schema, with its path", () => {
  expect(assemble({ id: 7 })).toThrow(/\/tools\/look\/examples\/0\/params\/id: .*would refuse its own example/);
  expect(assemble({ n: 1 })).toThrow(/would refuse its own example/);
  expect(assemble({ id: { $from: 's1', path: '/id' }, n: 'one' })).toThrow(/params\/n/);
});

test('accepts bindings to earlier steps in an example', () => {
  expect(assemble({ id: 'a' })).not.toThrow();
  expect(assemble({ id: { $from: 's1', path: '/id' }, n: 1 })).not.toThrow();
});
