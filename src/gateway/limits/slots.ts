/** So many calls of one name at once; whoever comes later waits for a place, in order. */
export interface Slots {
  /** Resolves with what gives the place back, or with null when the signal is raised first. */
  enter(name: string, most: number, signal: AbortSignal): Promise<Leave | null>;
}

export type Leave = () => void;

export function createSlots(): Slots {
  const rooms = new Map<string, Room>();
  return {
    enter: (name, most, signal) => {
      const room = rooms.get(name) ?? { inside: 0, waiting: [] };
      rooms.set(name, room);
      const leave = once(() => {
        room.inside -= 1;
        room.waiting.shift()?.();
        if (room.inside === 0 && room.waiting.length === 0) rooms.delete(name);
      });
      if (signal.aborted) return Promise.resolve(null);
      if (room.inside < most) {
        room.inside += 1;
        return Promise.resolve(leave);
      }
      return waitIn(room, signal, leave);
    },
  };
}

interface Room {
  inside: number;
  readonly waiting: (() => void)[];
}

function waitIn(room: Room, signal: AbortSignal, leave: Leave): Promise<Leave | null> {
  const { promise, resolve } = Promise.withResolvers<Leave | null>();
  const enter = (): void => {
    signal.removeEventListener('abort', giveUp);
    room.inside += 1;
    resolve(leave);
  };
  const giveUp = (): void => {
    const place = room.waiting.indexOf(enter);
    if (place >= 0) room.waiting.splice(place, 1);
    resolve(null);
  };
  room.waiting.push(enter);
  signal.addEventListener('abort', giveUp, { once: true });
  return promise;
}

function once(act: () => void): Leave {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
