import { own } from '../model/own.ts';
import type { CurrentStep, RunState } from './state.ts';

type Asked = Pick<CurrentStep, 'tool' | 'argsHash' | 'stepId'>;

const callOf = ({ tool, argsHash }: Asked): string => `${tool} ${argsHash}`;
const placeOf = ({ planning }: RunState, { stepId }: Asked): string => `${planning.active?.hash} ${stepId}`;

/**
 * Whether the request has granted this very call to another step already. Whoever asks for something asks for it once:
 * the step it was granted to may be tried again under its plan, and nobody else gets it a second time.
 */
export function isSpent(state: RunState, asked: Asked): boolean {
  const place = own(state.people.requested, callOf(asked));
  return place !== undefined && place !== placeOf(state, asked);
}

export function spend(state: RunState, asked: Asked): RunState {
  const requested = { ...state.people.requested, [callOf(asked)]: placeOf(state, asked) };
  return { ...state, people: { ...state.people, requested } };
}
