import type { RunState } from '../../kernel/state.ts';

/** The agents at work in a run by their own names: in a lane its own, and those that work above it. None otherwise. */
export const workersOf = ({ seat }: RunState): readonly string[] =>
  seat === undefined ? [] : [...new Set([...seat.path, seat.agent])];
