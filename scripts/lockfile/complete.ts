/** The part of a package-lock.json (version 3) that matters here: place in the tree → what is there. */
export type Places = Readonly<Record<string, Place>>;

export interface Place {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/**
 * A registry that mirrors only some platforms makes npm leave the others' binaries out of the lockfile, and `npm ci`
 * refuses such a lockfile everywhere. This adds the missing places: the exact version their parent asks for, and the
 * platform that their name states. It changes nothing that is there.
 */
export function completePlaces(places: Places): Record<string, Place> {
  const complete: Record<string, Place> = { ...places };
  for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(places))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (!isExact(version) || find(complete, parent, name)?.version === version) continue;
      const beside = `${parent.slice(0, parent.lastIndexOf('node_modules/'))}node_modules/${name}`;
      complete[beside] ??= { version, ...(dev === true ? { dev } : {}), optional: true, ...platform(name) };
    }
  return Object.fromEntries(Object.entries(complete).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

const isExact = (version: string): boolean => /^\d+\.\d+\.\d+/.test(version);

/** Looks where Node.js would: beside the parent, then further and further out. */
function find(places: Places, parent: string, name: string): Place | undefined {
  const folders = parent.split('/node_modules/');
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const outer = folders.slice(0, depth).join('/node_modules/');
    const found = places[outer === '' ? `node_modules/${name}` : `${outer}/node_modules/${name}`];
    if (found !== undefined) return found;
  }
  return undefined;
}

function platform(name: string): Pick<Place, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => OS.includes(word));
  const cpu = words.filter((word) => CPU.includes(word));
  if (cpu.length !== 1) throw new Error(`cannot tell the platform of ${name}; add it to package-lock.json by hand`);
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  return { ...(os.length > 0 ? { os } : {}), cpu, ...(libc.length > 0 ? { libc } : {}) };
}
