package report

import "slices"

// lane places the figures of one actor below y and returns where it ends.
// Figures whose labels would meet stand in rows of their own.
func (d *drawing) lane(l *laneOf, y int, odd bool, s scale) int {
	high := map[int]int{laneClient: rowTry, laneWorker: rowTry, laneLink: rowTick}[l.order]
	if high == 0 {
		high = rowMark
	}
	var ends []int // of each row
	top := y + lanePad/2
	for _, f := range l.figure {
		sh := s.shape(f)
		from, to := sh.extent()
		row := slices.IndexFunc(ends, func(end int) bool { return end+10 <= from })
		if row < 0 {
			ends = append(ends, 0)
			row = len(ends) - 1
		}
		ends[row] = to
		sh.put(top+row*high, y, high)
		d.Shapes = append(d.Shapes, sh)
	}
	h := len(ends)*high + lanePad
	d.Lanes = append(d.Lanes, drawnLane{y, h, fit(l.name, 22), odd})
	return y + h
}

// shape is a figure at its place in time.
func (s scale) shape(f figure) shape {
	sh := shape{What: f.what, Class: f.class, X: s.x(f.from), W: max(5, s.x(f.to)-s.x(f.from)), Label: f.label, Tip: f.tip, Anchor: "start"}
	wide := int(float64(width(f.label)) * runeWide)
	sh.LX = sh.X
	if f.what != "bar" {
		sh.W = 0
		sh.LX = sh.X + 12
	}
	if f.what == "moment" {
		sh.LX = sh.X + 6
	}
	if right := gutter + s.width() + 2*margin - 4; sh.LX+wide > right {
		sh.Anchor, sh.LX = "end", sh.X+sh.W
		if f.what != "bar" {
			sh.LX = sh.X - 12
		}
		if sh.LX-wide < gutter+4 { // longer than the drawing on either side
			sh.Anchor, sh.LX = "end", right
		}
	}
	return sh
}

// extent is what a shape takes of its row, with its label.
func (sh shape) extent() (from, to int) {
	wide := int(float64(width(sh.Label)) * runeWide)
	from, to = min(sh.X-8, sh.LX), max(sh.X+sh.W, sh.LX+wide)
	if sh.Anchor == "end" {
		from, to = min(sh.X-8, sh.LX-wide), max(sh.X+sh.W+8, sh.LX)
	}
	return from, to
}

// put places a shape on its row.
func (sh *shape) put(y, lane, high int) {
	sh.Top = lane
	if sh.What == "bar" {
		sh.LY, sh.Y = y+11, y+16
		return
	}
	sh.Y, sh.LY = y+high/2, y+high/2+4
}
