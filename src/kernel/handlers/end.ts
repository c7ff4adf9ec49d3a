import { violation } from '../../model/events/effect-kinds.ts';
import type { EventOf } from '../../model/events/event.ts';
import { shownSentences } from '../../model/evidence/answer.ts';
import type { KernelEnv } from '../env.ts';
import { escalateRun } from '../flow/people/escalate.ts';
import { checkClaims, routeViolations } from '../query/evidence/claims.ts';
import { isCommitted } from '../query/evidence/committed.ts';
import { directReply } from '../query/plan/reasoning.ts';
import { endPath, impossibleEvent } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';
import { isAtNode } from '../transition/walk.ts';

/** The number of times that an answer with ungrounded claims may be rewritten at low or moderate risk. */
const CLAIM_REPAIRS_MAX = 1;

/** Accepts the answer if each claim has a committed observation. */
export const onResponseCompiled: Reacts<'response_compiled'> = (env, state, event) => {
  if (!isAtNode(env, state, 'finalize') || state.ending.response !== null)
    throw impossibleEvent('an answer nobody asked for', state);
  if ((event.reply !== undefined) !== (directReply(state) !== null))
    throw impossibleEvent('a reply to a message that asked for an action', state);
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
  const { text, claims, reply } = event;
  const response = { text, claims: claims.length, ...(reply === undefined ? {} : { reply }) };
  if (state.intake.regulated === true) return withhold(env, state, response);
  return [
    { ...state, ending: { ...state.ending, ...statedAnswer(state, event), response } },
    [{ kind: 'propose_memory' }],
  ];
};

/** If no sentence of a composer was released, the compiled text is the one sentence of the answer. */
function statedAnswer({ ending: { answer } }: RunState, { text, claims }: EventOf<'response_compiled'>) {
  if (answer === undefined || shownSentences(answer.released).length > 0) return {};
  const fields = [...new Set(claims.map(({ observation }) => observation))].map((ref) => ({ ref, pointer: '' }));
  return { answer: { ...answer, released: [{ text, form: 'stated', fields }] } } as const;
}

/** Withholds the answer of regulated work until a reviewer releases it or ends the run. */
function withhold(env: KernelEnv, state: RunState, withheld: NonNullable<RunState['ending']['withheld']>): Reaction {
  const waiting: RunState = { ...state, ending: { ...state.ending, withheld } };
  const evidence = [...new Set(Object.values(state.work.evidenceByType))];
  const stop = { code: 'REVIEW_REQUIRED', reason: 'regulated', detail: { evidence } } as const;
  return escalateRun(env, waiting, 'regulated_review', stop, evidence);
}

/** Releases the answer that the reviewer was shown. */
export function releaseAnswer(state: RunState): Reaction {
  const { withheld, ...ending } = state.ending;
  if (withheld === undefined) throw impossibleEvent('an answer that nobody withheld', state);
  return [{ ...state, ending: { ...ending, response: withheld } }, [{ kind: 'propose_memory' }]];
}

export const onRunTerminated: Reacts<'run_terminated'> = (_env, state, event) => {
  if (!state.ending.closing) throw impossibleEvent('an ending nobody asked for', state);
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
    NO_EFFECTS,
  ];
};
