import type { RunState } from '../kernel/state.ts';
import { type Turn, type TurnEnv, takeTurn } from '../kernel/turn.ts';
import type { Blob } from '../model/blob.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Clock } from '../ports/clock.ts';
import { asideOf } from './aside.ts';
import { caughtUp, isFenced } from './catch-up.ts';
import { isKilled, killed, refusing } from './heed-kill.ts';
import { type JournalWriter, writeTurn } from './journal-writer.ts';
import type { Loaded } from './load.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { costOf } from './outage.ts';
import { retakeIfStale } from './retake.ts';
import type { Counted } from './run-metrics.ts';
import type { StandingView } from './standing-view.ts';

export interface TurnsEnv {
  readonly turn: TurnEnv;
  readonly writer: JournalWriter;
  readonly clock: Clock;
  readonly standing: StandingView;
  /** Told of every session that was written to. */
  readonly wrote?: (session: string) => void;
  /** Told of every turn once it is durable; left out where nobody counts. */
  readonly counted?: Counted;
  /** Told of every state in which the run has given up on a tool. */
  readonly noteTripped?: (state: RunState) => void;
}

/** What becomes of a turn once it is durable, and what others have asked for. */
export interface ThenDone {
  readonly depart: (turn: Turn) => void;
  readonly recall: () => void;
}

/** Takes the inputs of a run one after the other, each durable before the next is looked at. */
export interface TurnTaker {
  readonly state: RunState;
  readonly visiting: boolean;
  readonly deliver: (input: EventBody, blobs?: readonly Blob[]) => Promise<Fault | null>;
  /** Takes in what others have said to the run in passing; `fenced` where another process drives it by now. */
  readonly lookAround: () => Promise<void>;
}

export function turnTaker(env: TurnsEnv, from: Loaded, how: 'driving' | 'visiting', then: ThenDone): TurnTaker {
  let { state, place } = from;
  let visiting = how === 'visiting';
  const { journal, writer } = env.writer;
  const aside = { ...env.writer, writer: asideOf(writer) };
  /** A second input sees the state the first one left. */
  const inTurn = oneAtATime();

  /** False where another process drives the run by now, or nothing was said. */
  const heedOthers = async (): Promise<boolean> => {
    const news = await caughtUp(env.turn.env, journal, { state, place });
    if (news === null) return false;
    ({ state, place } = news);
    if (news.recalled) then.recall();
    return true;
  };

  const commit = async (input: EventBody, blobs: readonly Blob[], by: TurnEnv = env.turn): Promise<Fault | null> => {
    const result = takeTurn(by, state, input, env.clock.nowMs());
    if (!result.ok) return result.fault;
    const turn = blobs.length === 0 ? result.turn : { ...result.turn, blobs: [...blobs, ...result.turn.blobs] };
    const inPassing = visiting && !setsOut(turn);
    try {
      place = await writeTurn(inPassing ? aside : env.writer, place, state, turn);
    } catch (error) {
      // Others have said something meanwhile: the turn is taken again with that in mind.
      if (isFenced(error) && (await heedOthers())) return await commit(input, blobs, by);
      throw costOf(error, turn);
    }
    visiting = inPassing;
    const before = state;
    state = turn.state;
    env.wrote?.(state.id.runId);
    env.counted?.(before, turn);
    if (state.work.tripped !== undefined) env.noteTripped?.(state);
    then.depart(turn);
    return null;
  };

  /** A switch that was thrown meanwhile: what happened is taken in again, and what was to follow from it is refused. */
  const takeAgain = async (failure: unknown, input: EventBody, blobs: readonly Blob[]): Promise<Fault | null> => {
    try {
      return await retakeIfStale(failure, () => commit(input, blobs), env.standing.refresh);
    } catch (error) {
      if (!isKilled(error)) throw error;
      return await commit(input, blobs, refusing(env.turn, error)).catch(async (again: unknown) => {
        if (!isKilled(again)) throw again;
        await commit(killed(again), []);
        return await commit(input, blobs);
      });
    }
  };

  return {
    get state() {
      return state;
    },
    get visiting() {
      return visiting;
    },
    deliver: (input, blobs = NO_BLOBS) =>
      inTurn(() => commit(input, blobs).catch((error: unknown) => takeAgain(error, input, blobs))),
    lookAround: () =>
      inTurn(async () => {
        const [row] = await journal.list({ session: state.id.runId, limit: 1 });
        if (row === undefined || row.seq <= place.seq || (await heedOthers())) return;
        throw new Fault('fenced', `another process drives ${state.id.runId} by now: reload it before going on`);
      }),
  };
}

const NO_BLOBS: readonly Blob[] = Object.freeze([]);

/** Whether something is asked of the world from here on, so that whoever took the turn is the one who drives. */
const setsOut = ({ outbox }: Turn): boolean => outbox.some(({ kind }) => kind !== 'abort_flight');
