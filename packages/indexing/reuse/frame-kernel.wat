;; Cuts frames and compares them at half their resolution by SIMD. Compiled to frame-kernel.wasm; frame-kernel.test.ts compares the two.
;; A rough frame has six columns of four cells, column by column, as 32-bit floats: each column is one vector. How its tables lie in memory is told in
;; frame-kernel.ts.
(module
  ;; 16 MiB.
  (memory (export "memory") 256)

  ;; Mixes three vectors that lie $stride bytes apart, by an entry of a table: the place of the first, and what each of them counts.
  (func $mix (param $entry i32) (param $from i32) (param $stride i32) (result v128)
    (local.set $from (i32.add (local.get $from) (i32.mul (i32.load (local.get $entry)) (local.get $stride))))
    (f32x4.add
      (f32x4.add
        (f32x4.mul (v128.load32_splat offset=4 (local.get $entry)) (v128.load (local.get $from)))
        (f32x4.mul
          (v128.load32_splat offset=8 (local.get $entry))
          (v128.load (i32.add (local.get $from) (local.get $stride)))))
      (f32x4.mul
        (v128.load32_splat offset=12 (local.get $entry))
        (v128.load (i32.add (local.get $from) (i32.shl (local.get $stride) (i32.const 1)))))))

  (func $sum (param $lanes v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $lanes)) (f32x4.extract_lane 1 (local.get $lanes)))
      (f32.add (f32x4.extract_lane 2 (local.get $lanes)) (f32x4.extract_lane 3 (local.get $lanes)))))

  ;; Cuts the frame at $cells, eight rows of twelve, to the first $ranges ranges of rows: of each twelve columns of four cells at $bands.
  (func $cutBands (param $cells i32) (param $rows i32) (param $ranges i32) (param $bands i32)
    (local $range i32) (local $group i32) (local $from i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $ab v128) (local $cd v128)
    (loop $each
      (local.set $group (i32.const 0))
      (loop $columns
        (local.set $from (i32.add (local.get $cells) (local.get $group)))
        (local.set $a (call $mix (local.get $rows) (local.get $from) (i32.const 48)))
        (local.set $b (call $mix (i32.add (local.get $rows) (i32.const 16)) (local.get $from) (i32.const 48)))
        (local.set $c (call $mix (i32.add (local.get $rows) (i32.const 32)) (local.get $from) (i32.const 48)))
        (local.set $d (call $mix (i32.add (local.get $rows) (i32.const 48)) (local.get $from) (i32.const 48)))
        ;; Four rows become four columns.
        (local.set $ab (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
        (local.set $cd (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
        (v128.store (local.get $bands)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd)))
        (v128.store offset=16 (local.get $bands)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd)))
        (local.set $ab (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
        (local.set $cd (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
        (v128.store offset=32 (local.get $bands)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd)))
        (v128.store offset=48 (local.get $bands)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd)))
        (local.set $bands (i32.add (local.get $bands) (i32.const 64)))
        (local.set $group (i32.add (local.get $group) (i32.const 16)))
        (br_if $columns (i32.lt_u (local.get $group) (i32.const 48))))
      (local.set $rows (i32.add (local.get $rows) (i32.const 64)))
      (local.set $range (i32.add (local.get $range) (i32.const 1)))
      (br_if $each (i32.lt_u (local.get $range) (local.get $ranges)))))

  ;; Cuts the frame at $cells to $count parts, listed at $parts as pairs of ranges of columns and of rows, into rough frames at $into. The length of each becomes 1;
  ;; its mean stays, because what it is compared with has none.
  (func (export "cut")
    (param $cells i32) (param $rows i32) (param $ranges i32) (param $bands i32) (param $columns i32)
    (param $parts i32) (param $count i32) (param $into i32)
    (local $entry i32) (local $end i32) (local $band i32) (local $at i32) (local $column v128) (local $total v128) (local $squares v128)
    (local $variance f32)
    (call $cutBands (local.get $cells) (local.get $rows) (local.get $ranges) (local.get $bands))
    (loop $each
      (local.set $entry (i32.add (local.get $columns) (i32.mul (i32.load (local.get $parts)) (i32.const 96))))
      (local.set $end (i32.add (local.get $entry) (i32.const 96)))
      (local.set $band (i32.add (local.get $bands) (i32.mul (i32.load offset=4 (local.get $parts)) (i32.const 192))))
      (local.set $at (local.get $into))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $squares (v128.const f32x4 0 0 0 0))
      (loop $mixed
        (local.set $column (call $mix (local.get $entry) (local.get $band) (i32.const 16)))
        (v128.store (local.get $at) (local.get $column))
        (local.set $total (f32x4.add (local.get $total) (local.get $column)))
        (local.set $squares (f32x4.add (local.get $squares) (f32x4.mul (local.get $column) (local.get $column))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $entry (i32.add (local.get $entry) (i32.const 16)))
        (br_if $mixed (i32.lt_u (local.get $entry) (local.get $end))))
      (local.set $variance (call $sum (local.get $total)))
      (local.set $variance
        (f32.sub
          (call $sum (local.get $squares))
          (f32.div (f32.mul (local.get $variance) (local.get $variance)) (f32.const 24))))
      ;; What is even is like nothing.
      (local.set $column (f32x4.splat
        (select
          (f32.div (f32.const 1) (f32.sqrt (local.get $variance)))
          (f32.const 0)
          (f32.gt (local.get $variance) (f32.const 1e-6)))))
      (loop $scaled
        (v128.store (local.get $into) (f32x4.mul (v128.load (local.get $into)) (local.get $column)))
        (local.set $into (i32.add (local.get $into) (i32.const 16)))
        (br_if $scaled (i32.lt_u (local.get $into) (local.get $at))))
      (local.set $parts (i32.add (local.get $parts) (i32.const 8)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $each (local.get $count))))

  ;; How alike two rough frames are: as they are, or one mirrored, whichever is more.
  (func (export "compare") (param $a i32) (param $b i32) (result f32)
    (local $end i32) (local $last i32) (local $plain v128) (local $turned v128)
    (local.set $end (i32.add (local.get $a) (i32.const 96)))
    (local.set $last (i32.add (local.get $b) (i32.const 80)))
    (loop $columns
      (local.set $plain (f32x4.add (local.get $plain) (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $b)))))
      (local.set $turned (f32x4.add (local.get $turned) (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $last)))))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (local.set $last (i32.sub (local.get $last) (i32.const 16)))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (br_if $columns (i32.lt_u (local.get $a) (local.get $end))))
    (f32.max (call $sum (local.get $plain)) (call $sum (local.get $turned))))

  ;; Compares the $count crops of two rough frames with the other one, as it is and mirrored. At $out: how alike the best is of the crops of the first beside the second, and
  ;; beside the second mirrored, of the second beside the first, and beside the first mirrored; then which crops these are.
  (func (export "fit")
    (param $a i32) (param $cropsA i32) (param $b i32) (param $cropsB i32) (param $count i32) (param $out i32)
    (local $crop i32) (local $left i32) (local $right i32) (local $ofA v128) (local $ofB v128)
    (local $plainA v128) (local $turnedA v128) (local $plainB v128) (local $turnedB v128)
    (local $best v128) (local $which v128) (local $more v128)
    (local.set $best (v128.const f32x4 -1 -1 -1 -1))
    (loop $crops
      (local.set $left (i32.const 0))
      (local.set $right (i32.const 80))
      (local.set $plainA (v128.const f32x4 0 0 0 0))
      (local.set $turnedA (v128.const f32x4 0 0 0 0))
      (local.set $plainB (v128.const f32x4 0 0 0 0))
      (local.set $turnedB (v128.const f32x4 0 0 0 0))
      (loop $columns
        (local.set $ofA (v128.load (local.get $cropsA)))
        (local.set $ofB (v128.load (local.get $cropsB)))
        (local.set $plainA (f32x4.add (local.get $plainA)
          (f32x4.mul (local.get $ofA) (v128.load (i32.add (local.get $b) (local.get $left))))))
        (local.set $turnedA (f32x4.add (local.get $turnedA)
          (f32x4.mul (local.get $ofA) (v128.load (i32.add (local.get $b) (local.get $right))))))
        (local.set $plainB (f32x4.add (local.get $plainB)
          (f32x4.mul (local.get $ofB) (v128.load (i32.add (local.get $a) (local.get $left))))))
        (local.set $turnedB (f32x4.add (local.get $turnedB)
          (f32x4.mul (local.get $ofB) (v128.load (i32.add (local.get $a) (local.get $right))))))
        (local.set $cropsA (i32.add (local.get $cropsA) (i32.const 16)))
        (local.set $cropsB (i32.add (local.get $cropsB) (i32.const 16)))
        (local.set $left (i32.add (local.get $left) (i32.const 16)))
        (local.set $right (i32.sub (local.get $right) (i32.const 16)))
        (br_if $columns (i32.lt_u (local.get $left) (i32.const 96))))
      ;; The sums of the four become one vector.
      (local.set $ofA (f32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $plainA) (local.get $turnedA))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $plainA) (local.get $turnedA))))
      (local.set $ofB (f32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $plainB) (local.get $turnedB))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $plainB) (local.get $turnedB))))
      (local.set $ofA (f32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ofA) (local.get $ofB))
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ofA) (local.get $ofB))))
      (local.set $more (f32x4.gt (local.get $ofA) (local.get $best)))
      (local.set $best (v128.bitselect (local.get $ofA) (local.get $best) (local.get $more)))
      (local.set $which (v128.bitselect (i32x4.splat (local.get $crop)) (local.get $which) (local.get $more)))
      (local.set $crop (i32.add (local.get $crop) (i32.const 1)))
      (br_if $crops (i32.lt_u (local.get $crop) (local.get $count))))
    (v128.store (local.get $out) (local.get $best))
    (v128.store offset=16 (local.get $out) (local.get $which))))
