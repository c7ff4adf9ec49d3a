/** The relevant part of a package-lock.json (version 3): entries by their path in the tree. */
export type LockEntries = Readonly<Record<string, LockEntry>>;

export interface LockEntry {
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
 * Adds the missing entries of other platforms: the exact version that the parent asks for, and the platform named in
 * the package. A registry that mirrors only some platforms makes npm leave the others out, and `npm ci` rejects such a
 * lockfile everywhere. Existing entries stay unchanged.
 */
export function completeEntries(places: LockEntries): Record<string, LockEntry> {
  const complete: Record<string, LockEntry> = { ...places };
  for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(places))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (!isExact(version) || find(complete, parent, name)?.version === version) continue;
      const sibling = `${parent.slice(0, parent.lastIndexOf('node_modules/'))}node_modules/${name}`;
      complete[sibling] ??= { version, ...(dev === true ? { dev } : {}), optional: true, ...platform(name) };
    }
  return Object.fromEntries(Object.entries(complete).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

const isExact = (version: string): boolean => /^\d+\.\d+\.\d+/.test(version);

/** Looks where Node.js would: next to the parent, then in each outer folder. */
function find(places: LockEntries, parent: string, name: string): LockEntry | undefined {
  const folders = parent.split('/node_modules/');
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const outer = folders.slice(0, depth).join('/node_modules/');
    const found = places[outer === '' ? `node_modules/${name}` : `${outer}/node_modules/${name}`];
    if (found !== undefined) return found;
  }
  return undefined;
}

function platform(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => OS.includes(word));
  const cpu = words.filter((word) => CPU.includes(word));
  if (cpu.length !== 1) throw new Error(`unknown platform of ${name}; add it to package-lock.json by hand`);
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  return { ...(os.length > 0 ? { os } : {}), cpu, ...(libc.length > 0 ? { libc } : {}) };
}
