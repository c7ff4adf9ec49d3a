/** Proves that a registry holds no tool that says one thing of itself and the opposite in the next field. */
import { expect, test } from 'vitest';
import { spec } from '../../test/kernel/verify/fixtures.ts';
import { APPROVAL_MODES } from './approval-mode.ts';
import { parse } from './parse.ts';
import { ToolRegistry } from './tool.ts';

const registry = (change: object): unknown => ({ version: '1', tools: [{ ...spec('mail.send'), ...change }] });

test('a tool with a side effect cannot be read_only, and is told what to say instead', () => {
  const contradictory = registry({ side_effect: true, approval_mode: 'read_only' });
  const refusal = (): unknown => parse(ToolRegistry, contradictory, 'input_invalid');
  expect(refusal).toThrow(/local_write/);
  expect(refusal).toThrow(expect.objectContaining({ code: 'input_invalid', path: '/tools/0/approval_mode' }));
});

test('a tool can only assert what it produces', () => {
  const about = (type: string) =>
    registry({ produces: ['mail'], asserts: [{ type, subject: '', values: { to: '/to' } }] });
  expect(parse(ToolRegistry, about('mail'), 'input_invalid').tools).toHaveLength(1);
  const refusal = (): unknown => parse(ToolRegistry, about('balance'), 'input_invalid');
  expect(refusal).toThrow(expect.objectContaining({ code: 'input_invalid', path: '/tools/0/asserts' }));
});

test.each(APPROVAL_MODES)('everything else about %s goes together', (approval_mode) => {
  for (const side_effect of [false, approval_mode !== 'read_only']) {
    expect(parse(ToolRegistry, registry({ side_effect, approval_mode }), 'input_invalid').tools).toHaveLength(1);
  }
});
