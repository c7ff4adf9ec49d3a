/** Examples of tools whose schema is plain JSON Schema are held to it where an agent is put together. */
import { expect, test } from 'vitest';
import { rig } from '../rig.ts';

const SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, n: { type: 'integer' } },
  required: ['id'],
} as const;
const put = (params: object) => () =>
  rig({
    tools: { look: { input_schema: SCHEMA, examples: [{ use: 'so', params: params as never }], produces: ['done'] } },
  });

test('an example that its own tool would refuse is refused, with its place', () => {
  expect(put({ id: 7 })).toThrow(/\/tools\/look\/examples\/0\/params\/id: .*would refuse its own example/);
  expect(put({ n: 1 })).toThrow(/would refuse its own example/);
  expect(put({ id: { $from: 's1', path: '/id' }, n: 'one' })).toThrow(/params\/n/);
});

test('what an earlier step fills in is not held against it', () => {
  expect(put({ id: 'a' })).not.toThrow();
  expect(put({ id: { $from: 's1', path: '/id' }, n: 1 })).not.toThrow();
});
