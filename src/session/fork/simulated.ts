import type { Derived } from '../../kernel/derive.ts';
import type { RunState } from '../../kernel/state.ts';
import type { EffectOf } from '../../model/effect.ts';
import type { EventBody, RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import { own } from '../../model/own.ts';
import { heardToHaveHappened, type SaidHappened } from '../../model/said-happened.ts';
import { NO_COST } from '../../model/tool.ts';
import type { Journal } from '../../ports/journal.ts';
import type { OutsidePerformers } from '../performers.ts';

/**
 * The same performers, except that nothing a simulated fork does reaches the world: calls that change something are
 * answered as they were answered in the parent, or as somebody has declared, and what nobody has answered fails. Reads
 * are real.
 */
export function simulated(outside: OutsidePerformers, journal: Pick<Journal, 'load'>): OutsidePerformers {
  return {
    ...outside,
    call_tool: (state, effect, way) =>
      isSimulated(state) && effect.mode !== 'read_only'
        ? answerTo(journal, state, effect).then(plain)
        : outside.call_tool(state, effect, way),
    probe_step: async (state, effect, way) => {
      if (!isSimulated(state)) return await outside.probe_step(state, effect, way);
      const { call, probe } = effect;
      const seen = { as_expected: true, raw: null, detail: SIMULATED, spent: NO_COST } as const;
      return plain({ type: 'step_probed', call_id: call.call_id, probe, ...seen });
    },
    reconcile_call: async (state, effect, way) => {
      if (!isSimulated(state)) return await outside.reconcile_call(state, effect, way);
      const { call, probe } = effect;
      const found = { finding: 'did_not_happen', raw: null, detail: SIMULATED, spent: NO_COST } as const;
      return plain({ type: 'call_reconciled', call_id: call.call_id, probe, ...found });
    },
    revoke_credentials: async (state, effect, way) => {
      if (!isSimulated(state)) return await outside.revoke_credentials(state, effect, way);
      const { revocation_id } = effect;
      return plain({ type: 'credentials_revoked', revocation_id, outcome: 'unsupported', detail: SIMULATED });
    },
    write_memory: async (state, effect, way) => {
      if (!isSimulated(state)) return await outside.write_memory(state, effect, way);
      const failed = effect.entries.map(({ entry_id }) => ({ entry_id, reason: SIMULATED }));
      return plain({ type: 'memory_written', written: [], failed });
    },
  };
}

const SIMULATED = 'simulated: this fork changes nothing outside';

const isSimulated = ({ fork }: RunState): boolean => fork?.simulate === true;

const plain = (event: Derived['event']): Derived => ({ event, blobs: [] });

async function answerTo(
  journal: Pick<Journal, 'load'>,
  { fork }: RunState,
  { call }: EffectOf<'call_tool'>,
): Promise<Derived['event']> {
  const { call_id, tool, args_hash } = call;
  const frames = fork === undefined ? [] : await leftOf(journal, fork.parent);
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);
  const answered = recordedAnswer(events, tool, args_hash);
  if (answered !== null) return { ...answered, call_id };
  const declared = own(fork?.answers ?? {}, tool);
  const spent = NO_COST;
  if (declared !== undefined) return { type: 'step_observed', call_id, outcome: 'ok', raw: declared, spent };
  const detail = `${SIMULATED}, and neither the record nor anybody says what ${tool} would have answered`;
  return { type: 'step_observed', call_id, outcome: 'error', raw: null, detail, spent };
}

/** A parent that was pruned has no answers any more. */
async function leftOf(journal: Pick<Journal, 'load'>, parent: string): Promise<readonly Frame[]> {
  try {
    return await journal.load(parent);
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_pruned') return [];
    throw error;
  }
}

type Answer = Extract<EventBody, { readonly type: 'step_observed' }>;

/** What came of the very same call, where it went well: as its tool said, or as a probe or a person has found since. */
function recordedAnswer(events: readonly RunEvent[], tool: string, argsHash: string): Answer | null {
  const calls = new Set<string>();
  const saidOf = heardToHaveHappened();
  let last: Answer | null = null;
  for (const event of events) {
    if (event.type === 'step_attempted' && event.tool === tool && event.args_hash === argsHash)
      calls.add(event.call_id);
    const answer = answerIn(event, saidOf(event));
    if (answer !== null && calls.has(answer.call_id)) last = answer;
  }
  return last;
}

function answerIn(event: RunEvent, said: SaidHappened | null): Answer | null {
  const found = { type: 'step_observed', outcome: 'ok', spent: NO_COST } as const;
  if (said !== null) return { ...found, call_id: said.call_id, raw: said.result, detail: `said by ${said.by}` };
  if (event.type === 'call_reconciled' && event.finding === 'happened') {
    const { call_id, raw, probe, stored } = event;
    return { ...found, call_id, raw, detail: `found by ${probe}`, ...(stored === undefined ? {} : { stored }) };
  }
  if (event.type !== 'step_observed' || event.outcome !== 'ok') return null;
  const { at: _, ...body } = event;
  return body;
}
