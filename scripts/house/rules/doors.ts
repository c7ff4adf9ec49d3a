import { ADAPTER, COMPOSE, DOORS, FACADE, PUBLIC, ROOMS, type Room } from '../plan.ts';
import { isTest, type Resolved, roomOf, type Target } from '../resolve.ts';
import type { Violation, Wall } from '../violation.ts';

/** Who may open whom. Tests may open every room; what ships may not open tests. */
export function checkDoors(file: Resolved): readonly Violation[] {
  if (file.room === null || isTest(file.path)) return [];
  const room = floorPlan(file.room);
  const isTopFile = file.path === COMPOSE || file.path === FACADE;
  if (room === null && !isTopFile)
    return [broken(file, 1, 'no-such-room', `the floor plan knows no room "${file.room}"`)];
  return file.targets.flatMap((target) => {
    const verdict = isTopFile ? judgeTopFile(file.path, target) : judge(file, room, target);
    return verdict === null ? [] : [broken(file, target.line, ...verdict)];
  });
}

type Verdict = readonly [wall: Wall, message: string] | null;

function judge(file: Resolved, room: Room | null, target: Target): Verdict {
  if (target.file === null) return null;
  const other = roomOf(target.file);
  if (other === null || isTest(target.file)) return ['leaves-house', `${target.specifier} is not part of what ships`];
  if (other === file.room) return null;
  const opens = [...(room?.opens ?? []), ...(room?.seams?.[file.path] ?? [])];
  if (opens.includes(other)) return null;
  if (opens.includes(PUBLIC) && DOORS.includes(target.file)) return null;
  if (isAdapter(other))
    return isAdapter(file.room ?? '')
      ? ['adapter-sibling', `${file.room} opens ${other}; adapters do not see each other`]
      : ['adapter-named', `only ${COMPOSE} may name ${other}`];
  return ['room', `${file.room} may not open ${other} (it may open: ${opens.join(', ') || 'nothing'})`];
}

function judgeTopFile(path: string, target: Target): Verdict {
  if (target.file === null) return null;
  const other = roomOf(target.file);
  if (other === null || isTest(target.file)) return ['leaves-house', `${target.specifier} is not part of what ships`];
  return isAdapter(other) && path !== COMPOSE ? ['adapter-named', `only ${COMPOSE} may name ${other}`] : null;
}

const isAdapter = (room: string): boolean => room.startsWith('adapters/');

function floorPlan(room: string): Room | null {
  if (isAdapter(room)) return ADAPTER;
  return Object.hasOwn(ROOMS, room) ? (ROOMS[room] ?? null) : null;
}

function broken(file: Resolved, line: number, wall: Wall, message: string): Violation {
  return { wall, path: file.path, line, message };
}
