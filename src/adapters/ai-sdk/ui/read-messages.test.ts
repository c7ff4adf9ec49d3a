import { expect, test } from 'vitest';
import { readApprovalId, writeApprovalId } from './approval-id.ts';
import { readApprovals, readCursor, readMessage } from './read-messages.ts';

const HASH = `sha256:${'a'.repeat(64)}`;
const ID = writeApprovalId({ gateId: 'gate_run_1_1', packetHash: HASH });

const answered = (approval: unknown): object => ({
  type: 'dynamic-tool',
  toolName: 'pay',
  toolCallId: '1:s1',
  state: 'approval-responded',
  input: {},
  approval,
});
const assistant = (...parts: readonly unknown[]): unknown => [{ id: 'm', role: 'assistant', parts }];
const user = (...parts: readonly unknown[]): unknown => [{ id: 'm', role: 'user', parts }];
const fault = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};

test('an approval names its gate and its packet', () => {
  const parts = [{ type: 'step-start' }, answered({ id: ID, approved: true, reason: 'good' })];
  expect(readApprovals(assistant(...parts))).toEqual([
    { gateId: 'gate_run_1_1', packetHash: HASH, approved: true, reason: 'good' },
  ]);
  expect(readApprovals(assistant(answered({ id: ID, approved: false })))).toMatchObject([
    { approved: false, reason: '' },
  ]);
});

test('a gate id with colons is read back unchanged', () => {
  const name = { gateId: `a:${HASH}`, packetHash: HASH };
  expect(readApprovalId(writeApprovalId(name))).toEqual(name);
});

test('only answers in the last message count', () => {
  const old = { id: 'm0', role: 'assistant', parts: [answered({ id: ID, approved: true })] };
  expect(readApprovals([old, { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'no' }] }])).toEqual([]);
  expect(readApprovals(assistant({ ...answered({ id: ID, approved: true }), state: 'approval-requested' }))).toEqual(
    [],
  );
});

test.each([
  ['no list', 'junk'],
  ['an empty list', []],
  ['a message that is null', [null]],
  ['a role that does not exist', [{ role: 'admin', parts: [] }]],
  ['parts that are no list', [{ role: 'assistant', parts: {} }]],
  ['too many parts', assistant(...Array.from({ length: 1_001 }, () => ({ type: 'text', text: 'x' })))],
  ['an approval without an answer', assistant(answered({ id: ID }))],
  ['an answer that is not a boolean', assistant(answered({ id: ID, approved: 'yes' }))],
  ['no approval', assistant(answered(undefined))],
  ['an id of another system', assistant(answered({ id: 'aitxt-1', approved: true }))],
  ['an id without a hash', assistant(answered({ id: 'ambit-gate:gate_1:sha256:abc', approved: true }))],
  ['an id with a line break', assistant(answered({ id: `ambit-gate:gate\n1:${HASH}`, approved: true }))],
  ['a reason that is too long', assistant(answered({ id: ID, approved: true, reason: 'x'.repeat(2_001) }))],
  ['two answers at one gate', assistant(answered({ id: ID, approved: true }), answered({ id: ID, approved: false }))],
  [
    'too many answers',
    assistant(...Array.from({ length: 21 }, (_, n) => answered({ id: ID.replace('_1_1', `_1_${n}`), approved: true }))),
  ],
])('%s is input_invalid', (_, messages) => {
  expect(fault(() => readApprovals(messages))).toMatchObject({ code: 'input_invalid' });
});

test('the message of a user is its text', () => {
  expect(readMessage(user({ type: 'text', text: 'Pay' }, { type: 'text', text: 'my invoice.' }))).toBe(
    'Pay\nmy invoice.',
  );
});

test.each([
  ['a message of the assistant', assistant({ type: 'text', text: 'x' })],
  ['a file', user({ type: 'file', mediaType: 'image/png', url: 'data:' })],
  ['no text', user()],
  ['a blank text', user({ type: 'text', text: '  ' })],
  ['a text that is too long', user({ type: 'text', text: 'x'.repeat(20_001) })],
])('refuses with input_invalid: %s', (_, messages) => {
  expect(fault(() => readMessage(messages))).toMatchObject({ code: 'input_invalid' });
});

test('reads the cursor of the last message, and refuses a malformed one', () => {
  const message = { id: 'm', role: 'assistant', parts: [] };
  expect(readCursor([{ ...message, metadata: { cursor: '12.3' } }])).toBe('12.3');
  expect(readCursor([message])).toBeUndefined();
  expect(readCursor(user({ type: 'text', text: 'x' }))).toBeUndefined();
  expect(fault(() => readCursor([{ ...message, metadata: { cursor: '../etc' } }]))).toMatchObject({
    code: 'input_invalid',
  });
});
