import { checkClaims, routeViolations } from './claims.ts';
import { raise } from './closing.ts';
import { endPath } from './lifecycle.ts';
import { impossible, NOTHING, type Reacts } from './reaction.ts';
import type { RunState } from './state.ts';
import { completion } from './terminate.ts';
import { vecGet } from './vec.ts';
import { standsOn } from './walk.ts';

/** An answer with unfounded claims may be written anew this often, where little is at stake. */
const CLAIM_REPAIRS_MAX = 1;

/** The answer says only what was committed; one claim without an observation and it is not given. */
export const onResponseCompiled: Reacts<'response_compiled'> = (env, state, event) => {
  if (!standsOn(env, state, 'finalize') || state.ending.response !== null)
    throw impossible('an answer nobody asked for', state);
  const ruling = checkClaims(event.claims, { has: (id) => isCommitted(state, id) });
  if (!ruling.ok) {
    const noted = { ...state, counters: { ...state.counters, violations: state.counters.violations + 1 } };
    const route = routeViolations(
      ruling.violations,
      state.intake.risk,
      CLAIM_REPAIRS_MAX - state.counters.claimRepairs,
    );
    if (route.kind === 'halt') return [raise(noted, route.stop), NOTHING];
    const counters = { ...noted.counters, claimRepairs: noted.counters.claimRepairs + 1 };
    return [{ ...noted, counters }, [{ kind: 'compile_response' }]];
  }
  const response = { text: event.text, claims: event.claims.length };
  return [{ ...state, ending: { ...state.ending, response } }, [{ kind: 'propose_memory' }]];
};

/** Evidence ids are given out in order, so that asking whether one exists is one look. */
function isCommitted(state: RunState, id: string): boolean {
  const place = /^ev_(\d+)$/.exec(id)?.[1];
  return place !== undefined && vecGet(state.work.evidence.items, Number(place) - 1) === id;
}

/** Nominations for memory come after the answer is fixed, and are only nominations. */
export const onMemoryProposed: Reacts<'memory_proposed'> = (_env, state, event) => {
  if (state.ending.response === null) throw impossible('memory before the answer', state);
  const proposed = { ...state, ending: { ...state.ending, memoryProposals: event.proposals.length } };
  const met = { goal: state.ending.criteriaMet, validation: true, grounding: true, safety: true };
  const stop = completion(met, state.work.unresolved) ?? { code: 'PARTIAL_SUCCESS', reason: 'finished_by_decision' };
  return [raise(proposed, stop), NOTHING];
};

/** The last event of every run. */
export const onRunTerminated: Reacts<'run_terminated'> = (_env, state, event) => {
  if (!state.ending.closing) throw impossible('an ending nobody asked for', state);
  const status = endPath(state.session.status, event.status).at(-1) ?? event.status;
  return [
    {
      ...state,
      session: { ...state.session, status },
      people: { ...state.people, gates: [], undecided: 0 },
      ending: {
        ...state.ending,
        terminal: { code: event.code, reason: event.reason, suppressed: event.suppressed, record: event.record },
      },
    },
    NOTHING,
  ];
};
