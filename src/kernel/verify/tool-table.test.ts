/** Proves that only registered names are found, and that a validator that throws rejects. */
import { expect, test } from 'vitest';
import { spec, table } from '../../../test/kernel/verify/fixtures.ts';
import { Fault } from '../../model/fault/fault.ts';
import { toolTable } from './tool-table.ts';

const input_schema = { type: 'object', properties: { n: { type: 'integer' } } };
const tools = table(
  [
    spec('a', { input_schema, output_schema: { type: 'string' }, produces: ['row'] }),
    spec('off', { active: false }),
    spec('other'),
  ],
  ['a', 'off'],
);

test('finds only registered tools and types', () => {
  expect(tools.get('a')?.name).toBe('a');
  expect(tools.get('toString')).toBeUndefined();
  expect(tools.isAllowed('other')).toBe(false);
  expect(tools.available).toEqual(['a']);
  expect(tools.producesType('row')).toBe(true);
  expect(tools.producesType('constructor')).toBe(false);
});

test('checks arguments and results, each with its own code', () => {
  expect(tools.checkArguments('a', { n: 1 })).toEqual([]);
  expect(tools.checkArguments('a', { n: 'x' })).toMatchObject([{ code: 'argument_invalid', path: '/n' }]);
  expect(tools.checkOutput('a', 'fine')).toEqual([]);
  expect(tools.checkOutput('a', 5)).toMatchObject([{ code: 'tool_result_invalid', path: '' }]);
  expect(tools.checkArguments('nobody', {})).toMatchObject([{ code: 'hallucinated_capability' }]);
});

test('a validator that throws rejects the value', () => {
  const broken = toolTable([spec('a')], new Set(['a']), () => () => {
    throw new RangeError('stack');
  });
  expect(broken.checkArguments('a', {})).toMatchObject([{ code: 'argument_invalid' }]);
  expect(broken.checkOutput('a', null)).toMatchObject([{ code: 'tool_result_invalid' }]);
});

test('refuses two tools with one name', () => {
  expect(() => table([spec('a'), spec('a')])).toThrow(Fault);
});
