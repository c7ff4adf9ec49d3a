import type { Derived, RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventBody, RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { own } from '../../model/json/json.ts';
import { type ReportedOutcome, reportedOutcomeReader } from '../../model/tool/reported-outcome.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { OutsidePerformers } from './performers.ts';

/**
 * Wraps the performers so that a simulated fork has no side effects: its calls get the recorded results of the parent
 * or the declared answers, and fail without either. Reads are real, except in a fork of an imported run: another
 * runtime chose its identity.
 */
export function withSimulation(outside: OutsidePerformers, journal: Pick<Journal, 'load'>): OutsidePerformers {
  return {
    ...outside,
    call_tool: (state, effect, context) =>
      isSimulated(state) && (effect.mode !== 'read_only' || state.fork?.imported === true)
        ? answerTo(journal, state, effect).then(plain)
        : outside.call_tool(state, effect, context),
    probe_step: async (state, effect, context) => {
      if (!isSimulated(state)) return await outside.probe_step(state, effect, context);
      const { call, probe } = effect;
      const seen = { as_expected: true, raw: null, detail: SIMULATED, spent: NO_COST } as const;
      return plain({ type: 'step_probed', call_id: call.call_id, probe, ...seen });
    },
    reconcile_call: async (state, effect, context) => {
      if (!isSimulated(state)) return await outside.reconcile_call(state, effect, context);
      const { call, probe } = effect;
      const found = { finding: 'did_not_happen', raw: null, detail: SIMULATED, spent: NO_COST } as const;
      return plain({ type: 'call_reconciled', call_id: call.call_id, probe, ...found });
    },
    revoke_credentials: async (state, effect, context) => {
      if (!isSimulated(state)) return await outside.revoke_credentials(state, effect, context);
      const { revocation_id } = effect;
      return plain({ type: 'credentials_revoked', revocation_id, outcome: 'unsupported', detail: SIMULATED });
    },
    write_memory: async (state, effect, context) => {
      if (!isSimulated(state)) return await outside.write_memory(state, effect, context);
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
  const frames = fork === undefined ? [] : await parentFrames(journal, fork.parent);
  const events = frames.flatMap(frameEvents);
  const answered = recordedAnswer(events, tool, args_hash);
  if (answered !== null) return { ...answered, call_id };
  const declared = own(fork?.answers ?? {}, tool);
  const spent = NO_COST;
  if (declared !== undefined) return { type: 'step_observed', call_id, outcome: 'ok', raw: declared, spent };
  const detail = `${SIMULATED}, and neither the record nor anybody says what ${tool} would have answered`;
  return { type: 'step_observed', call_id, outcome: 'error', raw: null, detail, spent };
}

/** Loads the frames of the parent; empty if it was pruned. */
async function parentFrames(journal: Pick<Journal, 'load'>, parent: string): Promise<readonly Frame[]> {
  try {
    return await journal.load(parent);
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_pruned') return [];
    throw error;
  }
}

type Answer = Extract<EventBody, { readonly type: 'step_observed' }>;

/** The last successful result of the same call: from its tool, or found later by a probe or a person. */
function recordedAnswer(events: readonly RunEvent[], tool: string, argsHash: string): Answer | null {
  const calls = new Set<string>();
  const readReport = reportedOutcomeReader();
  let last: Answer | null = null;
  for (const event of events) {
    if (event.type === 'step_attempted' && event.tool === tool && event.args_hash === argsHash)
      calls.add(event.call_id);
    const answer = answerIn(event, readReport(event));
    if (answer !== null && calls.has(answer.call_id)) last = answer;
  }
  return last;
}

function answerIn(event: RunEvent, reported: ReportedOutcome | null): Answer | null {
  const found = { type: 'step_observed', outcome: 'ok', spent: NO_COST } as const;
  if (reported !== null)
    return { ...found, call_id: reported.call_id, raw: reported.result, detail: `said by ${reported.by}` };
  if (event.type === 'call_reconciled' && event.finding === 'happened') {
    const { call_id, raw, probe, stored } = event;
    return { ...found, call_id, raw, detail: `found by ${probe}`, ...(stored === undefined ? {} : { stored }) };
  }
  if (event.type !== 'step_observed' || event.outcome !== 'ok') return null;
  const { at: _, ...body } = event;
  return body;
}
