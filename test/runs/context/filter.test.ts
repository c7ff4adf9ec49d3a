/** Filters the retrieved items that reach a model, and gates sensitive scopes. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { ContextItem } from '../../../src/model/evidence/context.ts';
import { type ContextPack, packAddress } from '../../../src/model/evidence/context-pack.ts';
import { type AgentSpec, parseAgent } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { plan, plannedStep, planningBench } from '../planning/bench.ts';
import { operator, REQUEST, START_MS } from '../rig.ts';

const ID = 'boundary:observations:filter-by-permission-freshness-pii-authority';

const item = (key: string, changes: Partial<ContextItem> = {}): ContextItem => ({
  key,
  type: 'document',
  value: `text of ${key}`,
  source_id: 'wiki',
  permission_scope: 'all',
  observed_at: START_MS - 1_000,
  fresh_until: START_MS + 3_600_000,
  trusted: true,
  authority: 2,
  personal_data: false,
  ...changes,
});

const packOf = (items: readonly ContextItem[]): ContextPack => {
  const pack = { pin: 'ctxpack.bench@1.0.0', items };
  return { ...pack, address: packAddress(sha256, pack) };
};

const bounded = (agent: AgentSpec): AgentSpec =>
  parseAgent({
    ...agent,
    boundary: {
      ...agent.boundary,
      observations: {
        ...agent.boundary.observations,
        permission_scopes: ['all', 'salaries'],
        confirm_scopes: ['salaries'],
        authority_min: 1,
      },
    },
  });

const ITEMS = [
  item('valid'),
  item('stale', { fresh_until: START_MS - 1 }),
  item('forbidden', { permission_scope: 'board_minutes' }),
  item('personal', { personal_data: true }),
  item('hearsay', { authority: 0 }),
  item('salary', { permission_scope: 'salaries' }),
];
const TOOLS = { finish: { produces: ['done'], input_schema: { type: 'object', additionalProperties: false } } };
const ANSWER = plan(
  plannedStep('s1', 'finish', {}),
  plannedStep('s2', 'respond', { objective: 'say so' }, { depends_on: ['s1'] }),
);

const bench = (answers = 1) =>
  planningBench(
    Array.from({ length: answers }, () => ANSWER),
    {
      tools: TOOLS,
      agent: bounded,
      world: { context: { pack: packOf(ITEMS) } },
    },
  );

const WANTING = {
  goal: { ...(REQUEST['goal'] as object), data_scopes: ['salaries'] },
  identity: { ...(REQUEST['identity'] as object), scopes: ['all', 'salaries'] },
};

verifies(ID, 'the prompt holds the valid document, and no stale, forbidden, personal or weak one', async () => {
  const run = bench();
  const outcome = await run.invoke();
  expect(outcome.terminalCode).toBe('SUCCESS');
  const prompt = JSON.stringify(run.model.prompts);
  expect(prompt).toContain('text of valid');
  for (const key of ['stale', 'forbidden', 'personal', 'hearsay', 'salary'])
    expect(prompt).not.toContain(`text of ${key}`);
  await run.runtime.records.replay(outcome.runId);
});

verifies(ID, 'a sensitive scope waits for approval and is readable after it', async () => {
  const run = bench();
  const waiting = await run.invoke(WANTING);
  expect(waiting).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
  expect(run.model.prompts).toEqual([]);
  const [gate] = waiting.pending;
  expect(gate?.name).toBe('GATE_SCOPE_CONFIRMATION');
  const { gateId = '', packetHash = '' } = gate ?? {};
  expect(await run.runtime.gates.packet(packetHash)).toMatchObject({
    scopes: ['salaries'],
    requested_by: 'agt_worker',
  });
  const answer = { packetHash, credential: operator('ana'), reason: 'payroll run' };
  await expect(run.runtime.approve(gateId, { ...answer, credential: operator('agt_worker') })).rejects.toMatchObject({
    code: 'permission_denied',
  });
  const outcome = await run.settle(run.runtime.approve(gateId, answer));
  expect(outcome.terminalCode).toBe('SUCCESS');
  expect(JSON.stringify(run.model.prompts)).toContain('text of salary');
  expect(JSON.stringify(run.model.prompts)).not.toContain('text of forbidden');
  await run.runtime.records.replay(outcome.runId);
});

test('CONFIRM_REQUIRED if the approval does not come in time; a rejection ends the run', async () => {
  const late = bench(0);
  const { runId } = await late.invoke(WANTING);
  late.clock.advanceTo(START_MS + 3_600_001);
  expect(await late.settle(late.runtime.resume(runId))).toMatchObject({ terminalCode: 'CONFIRM_REQUIRED' });
  const refused = bench(0);
  const { pending } = await refused.invoke(WANTING);
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const no = { packetHash, credential: operator('ana'), reason: 'no need to know' };
  expect(await refused.settle(refused.runtime.gates.reject(gateId, no))).toMatchObject({
    status: 'rejected',
    terminalCode: 'PERMISSION_DENIED',
  });
});

test('denies a scope that the identity does not hold, without opening a gate', async () => {
  const run = bench(0);
  const goal = { ...(REQUEST['goal'] as object), data_scopes: ['salaries'] };
  expect(await run.invoke({ goal })).toMatchObject({
    terminalCode: 'PERMISSION_DENIED',
    reason: 'scope_not_permitted',
  });
});
