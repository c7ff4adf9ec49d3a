/** Tests the four exits of tool eligibility, by the ruling of the gateway. */

import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { authorizeStep } from '../../../src/gateway/dispatch/authorize-step.ts';
import { schemaLayer } from '../../../src/gateway/layers/schema.ts';
import { CLEAN } from '../../../src/model/evidence/origin.ts';
import { address } from '../../../src/model/json/hash.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, planOf, REQUEST, type RigOptions, rig, START_MS, toolSpec } from '../rig.ts';
import { before, kernelOf, offer, pathOf } from './kernel.ts';

const ID = 'graph:tool-eligibility:four-exits';
const READ: RigOptions = { tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] };
const WRITE: RigOptions = {
  tools: { finish: { produces: ['done'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
  plans: [planOf([{ id: 'a', tool: 'finish', requires: ['GATE_A'] }])],
};

const afterEligibility = (path: readonly string[]): string | undefined =>
  path[path.lastIndexOf('tool_eligibility') + 1];

verifies(ID, 'a permitted read is invoked', async () => {
  const bench = rig(READ);
  const { runId } = await bench.invoke();
  expect(afterEligibility(pathOf(kernelOf(READ), await bench.events(runId)))).toBe('tool_invocation');
});

verifies(ID, 'a write waits for a person', async () => {
  const bench = rig(WRITE);
  const outcome = await bench.invoke();
  expect(outcome.status).toBe('awaiting_gate');
  expect(afterEligibility(pathOf(kernelOf(WRITE), await bench.events(outcome.runId)))).toBe('human_approval');
  expect(bench.dispatches).toEqual([]);
});

verifies(ID, 'asks the user for a missing argument', async () => {
  const bench = rig(READ);
  const { runId } = await bench.invoke();
  const env = kernelOf(READ);
  const state = before(env, await bench.events(runId), 'step_cleared');
  const input_schema = { type: 'object', required: ['order_id'] };
  const refused = authorizeStep(
    {
      run: { runId, tenantId: state.id.tenantId, agent: 'agent' },
      attempt: 1,
      origin: CLEAN,
      step: { id: 'a', tool: 'finish' },
      spec: toolSpec('finish', { input_schema }),
      args: {},
      token: state.intake.token,
      now: state.now,
      rules: { bounds: agentFor(['finish']).boundary.tools, risk: 'low', approvals: [] },
      check: () => [{ code: 'argument_invalid', path: '/order_id', message: 'is missing' }],
      argsHash: address(sha256, {}),
    },
    [schemaLayer],
  );
  const [asked, effects] = offer(env, state, refused);
  expect(asked).toMatchObject({ position: { moves: { to: 'ask_user', before: null } }, session: { status: 'paused' } });
  expect(effects).toEqual([{ kind: 'ask_user', question_id: 'question_1', fields: ['order_id'], readings: [] }]);
});

verifies(ID, 'a call after the identity has expired ends the run', async () => {
  const options: RigOptions = {
    tools: { slow: { execute: async () => ({ ok: true }) }, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'slow' },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
  };
  const late = rig({
    ...options,
    tools: {
      ...options.tools,
      slow: {
        execute: () => {
          late.clock.advanceTo(START_MS + 5_000);
          return { ok: true };
        },
      },
    },
  });
  const identity = { ...(REQUEST['identity'] as object), expires_at: START_MS + 1_000 };
  const outcome = await late.invoke({ identity });
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'permission_denied' });
  expect(afterEligibility(pathOf(kernelOf(options), await late.events(outcome.runId)))).toBe('terminate');
  expect(late.dispatches.map(({ tool }) => tool)).toEqual(['slow']);
});
