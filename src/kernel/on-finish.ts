import { checkClaims, routeViolations } from './claims.ts';
import { isCommitted } from './committed.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { endPath } from './lifecycle.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import type { RunState } from './state.ts';
import { violation } from './violation.ts';
import { standsOn } from './walk.ts';

/** An answer with unfounded claims may be written anew this often, where little is at stake. */
const CLAIM_REPAIRS_MAX = 1;

/** The answer says only what was committed; one claim without an observation and it is not given. */
export const onResponseCompiled: Reacts<'response_compiled'> = (env, state, event) => {
  if (!standsOn(env, state, 'finalize') || state.ending.response !== null)
    throw impossible('an answer nobody asked for', state);
  const { disputed } = state.work;
  const ruling = checkClaims(
    event.claims,
    { has: (id) => isCommitted(state, id) },
    { has: (id) => disputed.includes(id) },
  );
  if (!ruling.ok) {
    const noted = ruling.violations.map(({ statement, kind }) => violation('claim', statement, kind));
    const left = CLAIM_REPAIRS_MAX - state.counters.claimRepairs;
    const route = routeViolations(ruling.violations, state.intake.risk, left);
    if (route.kind === 'halt') {
      const [halted, effects] = escalateRun(env, state, 'validation_failed', route.stop);
      return [halted, [...noted, ...effects]];
    }
    const counters = { ...state.counters, claimRepairs: state.counters.claimRepairs + 1 };
    return [{ ...state, counters }, [...noted, { kind: 'compile_response' }]];
  }
  const response = { text: event.text, claims: event.claims.length };
  if (state.intake.regulated === true) return withhold(env, state, response);
  return [{ ...state, ending: { ...state.ending, response } }, [{ kind: 'propose_memory' }]];
};

/**
 * Regulated work: the answer is made and shown to nobody but the reviewer, who releases exactly this one, or ends the run.
 */
function withhold(env: KernelEnv, state: RunState, withheld: NonNullable<RunState['ending']['withheld']>): Reaction {
  const waiting: RunState = { ...state, ending: { ...state.ending, withheld } };
  const evidence = [...new Set(Object.values(state.work.evidenceByType))];
  const stop = { code: 'REVIEW_REQUIRED', reason: 'regulated', detail: { evidence } } as const;
  return escalateRun(env, waiting, 'regulated_review', stop, evidence);
}

/** The reviewer has decided: the answer that they were shown is given. */
export function release(state: RunState): Reaction {
  const { withheld, ...ending } = state.ending;
  if (withheld === undefined) throw impossible('an answer that nobody withheld', state);
  return [{ ...state, ending: { ...ending, response: withheld } }, [{ kind: 'propose_memory' }]];
}

/** The last event of every run. */
export const onRunTerminated: Reacts<'run_terminated'> = (_env, state, event) => {
  if (!state.ending.closing) throw impossible('an ending nobody asked for', state);
  const { code, reason, detail, suppressed, record } = event;
  const status = endPath(state.session.status, event.status).at(-1) ?? event.status;
  return [
    {
      ...state,
      session: { ...state.session, status, pause: null },
      people: { ...state.people, gates: [], undecided: 0 },
      ending: {
        ...state.ending,
        terminal: { code, reason, detail, suppressed, record },
      },
    },
    NOTHING,
  ];
};
