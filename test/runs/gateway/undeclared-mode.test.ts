/** Tests that a tool without a known approval mode cannot be declared, nor registered by a host that builds it by hand. */
import { ambit, tool } from 'ambit';
import { expect } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, toolSpec } from '../rig.ts';

const ID = 'gateway:registry:mode-required';
const BAD = [undefined, 'maybe', 'toString'];

verifies(ID, 'tool() refuses a missing or unknown mode and names the five known ones', () => {
  const options = {
    name: 'finish',
    description: 'Ends the work',
    inputSchema: z.object({}),
    outputSchema: z.object({}),
    execute: () => ({}),
  };
  expect(tool({ ...options, approvalMode: 'read_only' }).spec.approval_mode).toBe('read_only');
  for (const approvalMode of BAD)
    expect(() => tool({ ...options, approvalMode } as never)).toThrow(
      expect.objectContaining({
        code: 'approval_mode_undeclared',
        path: '/approvalMode',
        message: expect.stringContaining('read_only, local_write, network, delegated, destructive'),
      }),
    );
});

verifies(ID, 'ambit() registers no tool without a known mode', () => {
  const compose = (changes: object): unknown =>
    ambit({
      agent: agentFor(['finish']),
      tools: [{ spec: { ...toolSpec('finish', { produces: ['done'] }), ...changes }, execute: () => ({}) }],
      planner: { propose: () => Promise.reject(new Error('must not be called')) },
    });
  expect(() => compose({})).not.toThrow();
  for (const approval_mode of BAD)
    expect(() => compose({ approval_mode })).toThrow(
      expect.objectContaining({ code: 'input_invalid', path: '/tools/0/approval_mode' }),
    );
});
