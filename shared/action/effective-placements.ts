import { sensitiveFields } from './input-schema.ts';
import { type Action, type Placement, type placements, reservedPlacements } from './manifest.ts';

export type UsablePlacement = (typeof placements)[number];

export interface EffectivePlacements {
  readonly placements: UsablePlacement[];
  readonly refused: { readonly placement: Placement; readonly code: RefusalCode }[];
}
export type RefusalCode = 'placement_reserved' | 'placement_sensitive' | 'placement_high_risk';

/**
 * Where an action is shown, and where it asked to be and is not: reserved places, sensitive fields in the toolbar or a
 * schedule, high risk in the toolbar. The texts of the codes are in `manifest-texts.ts`.
 */
export function effectivePlacements(action: Pick<Action, 'placements' | 'inputSchema' | 'risk'>): EffectivePlacements {
  const shown: UsablePlacement[] = [];
  const refused: EffectivePlacements['refused'] = [];
  const sensitive = sensitiveFields(action.inputSchema).length > 0;
  for (const placement of new Set(action.placements ?? [])) {
    if (isReserved(placement)) refused.push({ placement, code: 'placement_reserved' });
    else if (sensitive && (placement === 'toolbar' || placement === 'cron')) {
      refused.push({ placement, code: 'placement_sensitive' });
    } else if (action.risk === 'high' && placement === 'toolbar') {
      refused.push({ placement, code: 'placement_high_risk' });
    } else shown.push(placement);
  }
  return { placements: shown, refused };
}

function isReserved(placement: Placement): placement is (typeof reservedPlacements)[number] {
  return (reservedPlacements as readonly string[]).includes(placement);
}
