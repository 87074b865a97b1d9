;; Compares one vector with many by SIMD. Compiled to similarity-kernel.wasm; similarity-kernel.test.ts compares the two.
;; How vectors lie in memory is told in vector-memory.ts: 256 slots are a block of three parts, their high bytes, their low bytes and their scales.
(module
  ;; 16 GiB at most, the limit of V8.
  (import "env" "memory" (memory i64 1 262144 shared))

  ;; Where the high bytes of the $i-th slot of a list begin.
  (func $placeOf (param $list i32) (param $i i32) (param $first i32) (param $bytes i32) (result i64)
    (local $slot i64)
    (local.set $slot (i64.load32_u (i64.extend_i32_u (i32.add (local.get $list) (i32.shl (local.get $i) (i32.const 2))))))
    (i64.add
      (i64.add
        (i64.extend_i32_u (local.get $first))
        ;; A block: 256 slots of twice $bytes, and a scale of four bytes.
        (i64.mul
          (i64.shr_u (local.get $slot) (i64.const 8))
          (i64.extend_i32_u (i32.add (i32.shl (local.get $bytes) (i32.const 9)) (i32.const 1024)))))
      (i64.mul (i64.and (local.get $slot) (i64.const 255)) (i64.extend_i32_u (local.get $bytes)))))

  ;; Where the scale of the $i-th slot of a list is.
  (func $scaleAt (param $list i32) (param $i i32) (param $first i32) (param $bytes i32) (result i64)
    (local $slot i64)
    (local.set $slot (i64.load32_u (i64.extend_i32_u (i32.add (local.get $list) (i32.shl (local.get $i) (i32.const 2))))))
    (i64.add
      (i64.add
        (i64.extend_i32_u (i32.add (local.get $first) (i32.shl (local.get $bytes) (i32.const 9))))
        (i64.mul
          (i64.shr_u (local.get $slot) (i64.const 8))
          (i64.extend_i32_u (i32.add (i32.shl (local.get $bytes) (i32.const 9)) (i32.const 1024)))))
      (i64.shl (i64.and (local.get $slot) (i64.const 255)) (i64.const 2))))

  (func $sum (param $lanes v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $lanes)) (i32x4.extract_lane 1 (local.get $lanes)))
      (i32.add (i32x4.extract_lane 2 (local.get $lanes)) (i32x4.extract_lane 3 (local.get $lanes)))))

  ;; Reads a byte of each line of some vectors of a list, and of their scales: none of these reads waits for another, as sums do, so the memory
  ;; answers many at once. Vectors that lie anywhere are compared more than twice as quickly.
  (func $readAhead
    (param $list i32) (param $i i32) (param $end i32) (param $first i32) (param $bytes i32) (param $low i32) (result i32)
    (local $read i32) (local $at i64) (local $stop i64)
    (loop $each
      (local.set $at (call $placeOf (local.get $list) (local.get $i) (local.get $first) (local.get $bytes)))
      (local.set $stop (i64.add (local.get $at) (i64.extend_i32_u (local.get $bytes))))
      (local.set $read (i32.add (local.get $read)
        (i32.load (call $scaleAt (local.get $list) (local.get $i) (local.get $first) (local.get $bytes)))))
      (loop $lines
        (local.set $read (i32.add (local.get $read) (i32.load8_u (local.get $at))))
        (if (local.get $low) (then
          (local.set $read (i32.add (local.get $read)
            (i32.load8_u (i64.add (local.get $at) (i64.extend_i32_u (local.get $low))))))))
        (local.set $at (i64.add (local.get $at) (i64.const 64)))
        (br_if $lines (i64.lt_u (local.get $at) (local.get $stop))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $each (i32.lt_u (local.get $i) (local.get $end))))
    (local.get $read))

  ;; For each of $count slots (32 bits) at $list: about the dot product of the vector at $query, signed bytes, with the vector of the slot by its
  ;; high bytes, times $factor, as a 32-bit float at $products. $bias: 64 times the sum of the query.
  ;; High bytes are 0 to 127, seven bits, so the relaxed dot product gives the same on every processor: no pair of products leaves 16 bits.
  (func (export "estimate")
    (param $query i32) (param $list i32) (param $count i32) (param $products i32) (param $first i32) (param $bytes i32)
    (param $bias i32) (param $factor f32)
    (local $i i32) (local $group i32) (local $a i64) (local $b i64) (local $end i64) (local $even v128) (local $odd v128)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (if (i32.eq (local.get $i) (local.get $group)) (then
          (local.set $group (i32.add (local.get $i) (i32.const 32)))
          (if (i32.gt_u (local.get $group) (local.get $count)) (then (local.set $group (local.get $count))))
          ;; Stored, so that no compiler leaves the reads out; the product takes its place.
          (i32.store
            (i64.extend_i32_u (i32.add (local.get $products) (i32.shl (local.get $i) (i32.const 2))))
            (call $readAhead
              (local.get $list) (local.get $i) (local.get $group) (local.get $first) (local.get $bytes) (i32.const 0)))))
        (local.set $a (call $placeOf (local.get $list) (local.get $i) (local.get $first) (local.get $bytes)))
        (local.set $b (i64.extend_i32_u (local.get $query)))
        (local.set $end (i64.add (local.get $b) (i64.extend_i32_u (local.get $bytes))))
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (loop $dimensions
          (local.set $even (i32x4.relaxed_dot_i8x16_i7x16_add_s
            (v128.load (local.get $b)) (v128.load (local.get $a)) (local.get $even)))
          (local.set $odd (i32x4.relaxed_dot_i8x16_i7x16_add_s
            (v128.load offset=16 (local.get $b)) (v128.load offset=16 (local.get $a)) (local.get $odd)))
          (local.set $even (i32x4.relaxed_dot_i8x16_i7x16_add_s
            (v128.load offset=32 (local.get $b)) (v128.load offset=32 (local.get $a)) (local.get $even)))
          (local.set $odd (i32x4.relaxed_dot_i8x16_i7x16_add_s
            (v128.load offset=48 (local.get $b)) (v128.load offset=48 (local.get $a)) (local.get $odd)))
          (local.set $a (i64.add (local.get $a) (i64.const 64)))
          (local.set $b (i64.add (local.get $b) (i64.const 64)))
          (br_if $dimensions (i64.lt_u (local.get $b) (local.get $end))))
        (f32.store
          (i64.extend_i32_u (i32.add (local.get $products) (i32.shl (local.get $i) (i32.const 2))))
          (f32.mul
            (f32.mul
              (local.get $factor)
              (f32.load (call $scaleAt (local.get $list) (local.get $i) (local.get $first) (local.get $bytes))))
            (f32.convert_i32_s
              (i32.sub (call $sum (i32x4.add (local.get $even) (local.get $odd))) (local.get $bias)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each))))

  ;; The same with all bits: the vector at $query is integers of 16 bits, $bias 64 times their sum. The sums of high and low bytes each fit into
  ;; 32 bits, because queries are no longer than that (vector-memory.ts); they are added in double precision.
  (func (export "compare")
    (param $query i32) (param $list i32) (param $count i32) (param $products i32) (param $first i32) (param $bytes i32)
    (param $bias i32) (param $factor f64)
    (local $i i32) (local $group i32) (local $a i64) (local $b i64) (local $l i64) (local $end i64)
    (local $high v128) (local $low v128) (local $part v128)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (if (i32.eq (local.get $i) (local.get $group)) (then
          (local.set $group (i32.add (local.get $i) (i32.const 16)))
          (if (i32.gt_u (local.get $group) (local.get $count)) (then (local.set $group (local.get $count))))
          (i32.store
            (i64.extend_i32_u (i32.add (local.get $products) (i32.shl (local.get $i) (i32.const 2))))
            (call $readAhead
              (local.get $list) (local.get $i) (local.get $group) (local.get $first) (local.get $bytes)
              (i32.shl (local.get $bytes) (i32.const 8))))))
        (local.set $a (call $placeOf (local.get $list) (local.get $i) (local.get $first) (local.get $bytes)))
        (local.set $l (i64.add (local.get $a) (i64.extend_i32_u (i32.shl (local.get $bytes) (i32.const 8)))))
        (local.set $b (i64.extend_i32_u (local.get $query)))
        (local.set $end (i64.add (local.get $b) (i64.extend_i32_u (i32.shl (local.get $bytes) (i32.const 1)))))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (loop $dimensions
          (local.set $part (v128.load (local.get $b)))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s (v128.load8x8_u (local.get $a)) (local.get $part))))
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $l)) (local.get $part))))
          (local.set $part (v128.load offset=16 (local.get $b)))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s (v128.load8x8_u offset=8 (local.get $a)) (local.get $part))))
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $l)) (local.get $part))))
          (local.set $a (i64.add (local.get $a) (i64.const 16)))
          (local.set $l (i64.add (local.get $l) (i64.const 16)))
          (local.set $b (i64.add (local.get $b) (i64.const 32)))
          (br_if $dimensions (i64.lt_u (local.get $b) (local.get $end))))
        (f32.store
          (i64.extend_i32_u (i32.add (local.get $products) (i32.shl (local.get $i) (i32.const 2))))
          (f32.demote_f64 (f64.mul
            (f64.mul
              (local.get $factor)
              (f64.promote_f32 (f32.load (call $scaleAt (local.get $list) (local.get $i) (local.get $first) (local.get $bytes)))))
            (f64.add
              (f64.mul
                (f64.convert_i32_s (i32.sub (call $sum (local.get $high)) (local.get $bias)))
                (f64.const 256))
              (f64.convert_i32_s (call $sum (local.get $low)))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each))))

  ;; The scale of the first slot at $list.
  (func (export "scaleOf") (param $list i32) (param $first i32) (param $bytes i32) (result f32)
    (f32.load (call $scaleAt (local.get $list) (i32.const 0) (local.get $first) (local.get $bytes))))

  ;; Makes the vector of the first slot at $list the query of "estimate", by its high bytes alone.
  ;; The result is its $bias.
  (func (export "takeQuery") (param $query i32) (param $list i32) (param $first i32) (param $bytes i32) (result i32)
    (local $a i64) (local $b i64) (local $end i64) (local $part v128) (local $sum v128)
    (local.set $a (call $placeOf (local.get $list) (i32.const 0) (local.get $first) (local.get $bytes)))
    (local.set $b (i64.extend_i32_u (local.get $query)))
    (local.set $end (i64.add (local.get $b) (i64.extend_i32_u (local.get $bytes))))
    (loop $dimensions
      (local.set $part (i8x16.sub (v128.load (local.get $a)) (i8x16.splat (i32.const 64))))
      (v128.store (local.get $b) (local.get $part))
      (local.set $sum (i32x4.add (local.get $sum)
        (i32x4.extadd_pairwise_i16x8_s (i16x8.extadd_pairwise_i8x16_s (local.get $part)))))
      (local.set $a (i64.add (local.get $a) (i64.const 16)))
      (local.set $b (i64.add (local.get $b) (i64.const 16)))
      (br_if $dimensions (i64.lt_u (local.get $b) (local.get $end))))
    (i32.shl (call $sum (local.get $sum)) (i32.const 6))))
