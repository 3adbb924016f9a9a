import { Bot, CircleHelp, FileTerminal, type LucideIcon, UserRound, Zap } from 'lucide-react';

const icons: Record<string, LucideIcon> = { agent: Bot, action: Zap, skill_exec: FileTerminal, manual: UserRound };

/** The picture of a kind of step; the same in the palette, on cards and in lists. */
export function KindIcon({ kind, size = 16 }: { kind: string; size?: number }) {
  const Icon = icons[kind] ?? CircleHelp;
  return <Icon size={size} strokeWidth={1.75} aria-hidden />;
}
