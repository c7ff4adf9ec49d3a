/** The memory gate, for a run with two observations, one from an untrusted tool. */
import { expect, test } from 'vitest';
import { ruleOnMemory } from '../../../src/kernel/query/critic-input/memory-promotion.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { MemoryProposal, MemoryRuling } from '../../../src/model/evidence/memory.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'ask', depends_on: ['a'] },
  { id: 'c', tool: 'finish', depends_on: ['b'] },
]);

function observed(): Turns {
  const tools = {
    look: { produces: ['order'] },
    ask: { trusted: false, produces: ['order'] },
    finish: { produces: ['done'] },
  };
  const run = turns({ tools });
  run.say(proposed(PLAN));
  run.say(answered(run, { raw: { total: 42 } }));
  run.say(answered(run, { raw: { total: 42 } }));
  return run;
}

const { state: STATE, env: ENV } = observed();

const proposal = (changes: Partial<MemoryProposal> = {}): MemoryProposal => ({
  proposal_id: 'memory_1',
  run_id: STATE.id.runId,
  key: 'order',
  value: { total: 42 },
  effect_refs: [],
  evidence_refs: ['ev_1'],
  expires_at: STATE.now + 1,
  labels: { permission_scope: 'all', personal_data: false, authority: 0 },
  ...changes,
});

const ruleOn = (state: RunState, changes: Partial<MemoryProposal> = {}): MemoryRuling | undefined =>
  ruleOnMemory(ENV, state, [proposal(changes)], 'memory_gate@1')[0];

test('a memory is as trusted as its least trusted source', () => {
  expect(ruleOn(STATE)?.promoted).toMatchObject({ trusted: true, source_links: ['ev_1'] });
  expect(ruleOn(STATE, { evidence_refs: ['ev_2'] })?.promoted?.trusted).toBe(false);
  expect(ruleOn(STATE, { evidence_refs: ['ev_1', 'ev_2'] })?.promoted?.trusted).toBe(false);
});

test('a memory that expires now is expired', () => {
  expect(ruleOn(STATE)?.reasons).toEqual([]);
  expect(ruleOn(STATE, { expires_at: STATE.now })).toEqual({
    proposal_id: 'memory_1',
    promoted: null,
    reasons: ['expired'],
  });
});

test('rejects a memory with a disputed source', () => {
  const disputed: RunState = { ...STATE, work: { ...STATE.work, disputed: ['ev_1'] } };
  expect(ruleOn(disputed)?.reasons).toEqual(['source_conflict']);
  expect(ruleOn(disputed, { evidence_refs: ['ev_2'] })?.reasons).toEqual([]);
});

test('names every reason, not only the first', () => {
  const { labels: _, ...unlabelled } = proposal({ evidence_refs: [], expires_at: null });
  const [ruled] = ruleOnMemory(ENV, STATE, [unlabelled], 'memory_gate@1');
  expect(ruled?.reasons).toEqual(['evidence_missing', 'expiry_missing', 'labels_missing']);
});

test('rejects a key that is no type of its evidence', () => {
  expect(ruleOn(STATE, { key: 'policy' })).toMatchObject({ promoted: null, reasons: ['wrong_type'] });
  expect(ruleOn(STATE, { key: 'done', evidence_refs: ['ev_1', 'ev_2'] })?.reasons).toEqual(['wrong_type']);
});
