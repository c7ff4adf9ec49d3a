/** A registry rejects a tool whose fields contradict each other. */
import { expect, test } from 'vitest';
import { spec } from '../../../test/kernel/verify/fixtures.ts';
import { APPROVAL_MODES } from '../gate/approval-mode.ts';
import { parse } from '../json/parse.ts';
import { ToolRegistry } from './tool.ts';

const registry = (change: object): unknown => ({ version: '1', tools: [{ ...spec('mail.send'), ...change }] });

test('rejects a read_only tool with a side effect, and suggests local_write', () => {
  const contradictory = registry({ side_effect: true, approval_mode: 'read_only' });
  const refusal = (): unknown => parse(ToolRegistry, contradictory, 'input_invalid');
  expect(refusal).toThrow(/local_write/);
  expect(refusal).toThrow(expect.objectContaining({ code: 'input_invalid', path: '/tools/0/approval_mode' }));
});

test('rejects an assertion about an evidence type the tool does not produce', () => {
  const about = (type: string) =>
    registry({ produces: ['mail'], asserts: [{ type, subject: '', values: { to: '/to' } }] });
  expect(parse(ToolRegistry, about('mail'), 'input_invalid').tools).toHaveLength(1);
  const refusal = (): unknown => parse(ToolRegistry, about('balance'), 'input_invalid');
  expect(refusal).toThrow(expect.objectContaining({ code: 'input_invalid', path: '/tools/0/asserts' }));
});

test.each(APPROVAL_MODES)('accepts every other combination of side effect and mode %s', (approval_mode) => {
  for (const side_effect of [false, approval_mode !== 'read_only']) {
    expect(parse(ToolRegistry, registry({ side_effect, approval_mode }), 'input_invalid').tools).toHaveLength(1);
  }
});
