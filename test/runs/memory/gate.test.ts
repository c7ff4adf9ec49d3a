/** The gate before memory, asked about a run that has seen two things, one of them from a stranger. */
import { expect, test } from 'vitest';
import { ruleOnMemory } from '../../../src/kernel/memory/promotion.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import type { MemoryProposal, MemoryRuling } from '../../../src/model/memory.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'ask', depends_on: ['a'] },
  { id: 'c', tool: 'finish', depends_on: ['b'] },
]);

function seen(): RunState {
  const run = turns({ tools: { look: {}, ask: { trusted: false }, finish: { produces: ['done'] } } });
  run.say(proposed(PLAN));
  run.say(answered(run, { raw: { total: 42 } }));
  run.say(answered(run, { raw: { total: 42 } }));
  return run.state;
}

const STATE = seen();

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

const rules = (state: RunState, changes: Partial<MemoryProposal> = {}): MemoryRuling | undefined =>
  ruleOnMemory(state, [proposal(changes)], 'memory_gate@1')[0];

test('a memory is as trusted as the least trusted of its sources', () => {
  expect(rules(STATE)?.promoted).toMatchObject({ trusted: true, source_links: ['ev_1'] });
  expect(rules(STATE, { evidence_refs: ['ev_2'] })?.promoted?.trusted).toBe(false);
  expect(rules(STATE, { evidence_refs: ['ev_1', 'ev_2'] })?.promoted?.trusted).toBe(false);
});

test('what ends now has ended', () => {
  expect(rules(STATE)?.reasons).toEqual([]);
  expect(rules(STATE, { expires_at: STATE.now })).toEqual({
    proposal_id: 'memory_1',
    promoted: null,
    reasons: ['expired'],
  });
});

test('a source that another contradicts is none to remember', () => {
  const disputed: RunState = { ...STATE, work: { ...STATE.work, disputed: ['ev_1'] } };
  expect(rules(disputed)?.reasons).toEqual(['source_conflict']);
  expect(rules(disputed, { evidence_refs: ['ev_2'] })?.reasons).toEqual([]);
});

test('every reason is named, not only the first', () => {
  const { labels: _, ...unlabelled } = proposal({ evidence_refs: [], expires_at: null });
  const [ruled] = ruleOnMemory(STATE, [unlabelled], 'memory_gate@1');
  expect(ruled?.reasons).toEqual(['evidence_missing', 'expiry_missing', 'labels_missing']);
});
