/** `ambit threads`: an export stays in the folder of the user, whichever id a thread has. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

/** A front end may pass the id of a thread on from a browser. */
const OUTSIDE = 'chat/../../outside';

test('a thread is exported below the current folder, also if its id looks like a path', { timeout: SLOW }, () => {
  project.write('here/note.txt', '');
  const cwd = join(project.folder, 'here');
  expect(project.ambitWith({ cwd }, 'run', 'support', '--goal', 'Hello', '--thread', OUTSIDE).exit).toBe(0);
  const exported = project.ambitWith({ cwd }, 'threads', 'export', OUTSIDE);
  expect(exported).toMatchObject({ exit: 0 });
  expect(existsSync(join(project.folder, 'outside'))).toBe(false);
  expect(readdirSync(cwd).toSorted()).toEqual(['chat%2F..%2F..%2Foutside', 'note.txt']);
});

test('names the fix of an unknown thread and of an unusable folder', { timeout: SLOW }, () => {
  const unknown = project.ambit('threads', 'show', 'th_9');
  expect(unknown).toMatchObject({ exit: 5, out: '' });
  expect(unknown.err).toContain('there is no thread th_9\n  fix: ambit threads list');
  project.write('a-file', '');
  const refused = project.ambit('threads', 'export', OUTSIDE, '--out', 'a-file');
  expect(refused).toMatchObject({ exit: 2, out: '' });
  expect(refused.err).toContain(`cannot create the folder ${join(project.folder, 'a-file')}: EEXIST`);
  expect(refused.err).toContain('use another one');
  expect(refused.err).not.toContain('    at ');
});
