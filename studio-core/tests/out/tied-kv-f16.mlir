module @llama {
  util.global private @rope = #stream.parameter.named<"model"::"rope"> : tensor<64x2x2x4xf32>
  util.global private @"token_embd.weight" = #stream.parameter.named<"model"::"token_embd.weight"> : tensor<32x48xf16>
  util.global private @"blk.0.attn_norm.weight" = #stream.parameter.named<"model"::"blk.0.attn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.0.attn_q.weight" = #stream.parameter.named<"model"::"blk.0.attn_q.weight"> : tensor<32x32xf16>
  util.global private @"blk.0.attn_k.weight" = #stream.parameter.named<"model"::"blk.0.attn_k.weight"> : tensor<32x16xf16>
  util.global private @"blk.0.attn_v.weight" = #stream.parameter.named<"model"::"blk.0.attn_v.weight"> : tensor<32x16xf16>
  util.global private @"blk.0.attn_output.weight" = #stream.parameter.named<"model"::"blk.0.attn_output.weight"> : tensor<32x32xf16>
  util.global private @"blk.0.ffn_norm.weight" = #stream.parameter.named<"model"::"blk.0.ffn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.0.ffn_gate.weight" = #stream.parameter.named<"model"::"blk.0.ffn_gate.weight"> : tensor<32x40xf16>
  util.global private @"blk.0.ffn_up.weight" = #stream.parameter.named<"model"::"blk.0.ffn_up.weight"> : tensor<32x40xf16>
  util.global private @"blk.0.ffn_down.weight" = #stream.parameter.named<"model"::"blk.0.ffn_down.weight"> : tensor<40x32xf16>
  util.global private @"blk.1.attn_norm.weight" = #stream.parameter.named<"model"::"blk.1.attn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.1.attn_q.weight" = #stream.parameter.named<"model"::"blk.1.attn_q.weight"> : tensor<32x32xf16>
  util.global private @"blk.1.attn_k.weight" = #stream.parameter.named<"model"::"blk.1.attn_k.weight"> : tensor<32x16xf16>
  util.global private @"blk.1.attn_v.weight" = #stream.parameter.named<"model"::"blk.1.attn_v.weight"> : tensor<32x16xf16>
  util.global private @"blk.1.attn_output.weight" = #stream.parameter.named<"model"::"blk.1.attn_output.weight"> : tensor<32x32xf16>
  util.global private @"blk.1.ffn_norm.weight" = #stream.parameter.named<"model"::"blk.1.ffn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.1.ffn_gate.weight" = #stream.parameter.named<"model"::"blk.1.ffn_gate.weight"> : tensor<32x40xf16>
  util.global private @"blk.1.ffn_up.weight" = #stream.parameter.named<"model"::"blk.1.ffn_up.weight"> : tensor<32x40xf16>
  util.global private @"blk.1.ffn_down.weight" = #stream.parameter.named<"model"::"blk.1.ffn_down.weight"> : tensor<40x32xf16>
  util.global private @"output_norm.weight" = #stream.parameter.named<"model"::"output_norm.weight"> : tensor<32xf32>

  func.func public @prefill(%tokens: tensor<4xi32>, %position: i32, %count: i32, %cache: tensor<2x4x64x8xf16> {iree.abi.consume}) -> (tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>) {
    // model
    %scalar_to_tensor = tensor.from_elements %position : tensor<i32> loc(#scope0)
    %scalar_to_tensor.2 = tensor.from_elements %count : tensor<i32> loc(#scope0)
    // rope
    %parameter = util.global.load @rope : tensor<64x2x2x4xf32> loc(#scope1)
    %constant = stablehlo.constant dense<0> : tensor<i32> loc(#scope1)
    %rotation = stablehlo.dynamic_slice %parameter, %scalar_to_tensor, %constant, %constant, %constant, sizes = [4, 2, 2, 4] : (tensor<64x2x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x2x2x4xf32> loc(#scope1)
    // mask
    %iota = stablehlo.iota dim = 0 : tensor<4x64xi32> loc(#scope2)
    %broadcast_in_dim = stablehlo.broadcast_in_dim %scalar_to_tensor, dims = [] : (tensor<i32>) -> tensor<4x64xi32> loc(#scope2)
    %add = stablehlo.add %iota, %broadcast_in_dim : tensor<4x64xi32> loc(#scope2)
    %iota.2 = stablehlo.iota dim = 1 : tensor<4x64xi32> loc(#scope2)
    %visible = stablehlo.compare LE, %iota.2, %add, SIGNED : (tensor<4x64xi32>, tensor<4x64xi32>) -> tensor<4x64xi1> loc(#scope2)
    // model
    %constant.2 = stablehlo.constant dense<0> : tensor<i32> loc(#scope0)
    %zero = stablehlo.minimum %scalar_to_tensor, %constant.2 : tensor<i32> loc(#scope0)
    // embedding
    %parameter.2 = util.global.load @"token_embd.weight" : tensor<32x48xf16> loc(#scope3)
    %gather = "stablehlo.gather"(%parameter.2, %tokens) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 32, 1>, indices_are_sorted = false}> : (tensor<32x48xf16>, tensor<4xi32>) -> tensor<32x4xf16> loc(#scope3)
    %transpose = stablehlo.transpose %gather, dims = [1, 0] : (tensor<32x4xf16>) -> tensor<4x32xf16> loc(#scope3)
    %hidden = stablehlo.convert %transpose : (tensor<4x32xf16>) -> tensor<4x32xf32> loc(#scope3)
    // layer 0 / attention_norm
    %multiply = stablehlo.multiply %hidden, %hidden : tensor<4x32xf32> loc(#scope5)
    %reduce.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope5)
    %reduce = stablehlo.reduce(%multiply init: %reduce.init) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32> loc(#scope5)
    %constant.3 = stablehlo.constant dense<0.03125> : tensor<4xf32> loc(#scope5)
    %multiply.2 = stablehlo.multiply %reduce, %constant.3 : tensor<4xf32> loc(#scope5)
    %constant.4 = stablehlo.constant dense<1.0e-5> : tensor<4xf32> loc(#scope5)
    %add.2 = stablehlo.add %multiply.2, %constant.4 : tensor<4xf32> loc(#scope5)
    %rsqrt = stablehlo.rsqrt %add.2 : tensor<4xf32> loc(#scope5)
    %broadcast_in_dim.2 = stablehlo.broadcast_in_dim %rsqrt, dims = [0] : (tensor<4xf32>) -> tensor<4x32xf32> loc(#scope5)
    %multiply.3 = stablehlo.multiply %hidden, %broadcast_in_dim.2 : tensor<4x32xf32> loc(#scope5)
    %parameter.3 = util.global.load @"blk.0.attn_norm.weight" : tensor<32xf32> loc(#scope5)
    %broadcast_in_dim.3 = stablehlo.broadcast_in_dim %parameter.3, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32> loc(#scope5)
    %normed = stablehlo.multiply %multiply.3, %broadcast_in_dim.3 : tensor<4x32xf32> loc(#scope5)
    // layer 0 / attention / q_proj
    %parameter.4 = util.global.load @"blk.0.attn_q.weight" : tensor<32x32xf16> loc(#scope7)
    %convert = stablehlo.convert %parameter.4 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope7)
    %dot_general = stablehlo.dot_general %normed, %convert, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32> loc(#scope7)
    // layer 0 / attention
    %reshape = stablehlo.reshape %dot_general : (tensor<4x32xf32>) -> tensor<4x4x8xf32> loc(#scope6)
    // layer 0 / attention / q_rope
    %reshape.2 = stablehlo.reshape %reshape : (tensor<4x4x8xf32>) -> tensor<4x4x2x4xf32> loc(#scope8)
    %broadcast_in_dim.4 = stablehlo.broadcast_in_dim %reshape.2, dims = [0, 1, 2, 4] : (tensor<4x4x2x4xf32>) -> tensor<4x4x2x2x4xf32> loc(#scope8)
    %broadcast_in_dim.5 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<4x2x2x4xf32>) -> tensor<4x4x2x2x4xf32> loc(#scope8)
    %multiply.4 = stablehlo.multiply %broadcast_in_dim.4, %broadcast_in_dim.5 : tensor<4x4x2x2x4xf32> loc(#scope8)
    %reduce.2.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope8)
    %reduce.2 = stablehlo.reduce(%multiply.4 init: %reduce.2.init) applies stablehlo.add across dimensions = [2] : (tensor<4x4x2x2x4xf32>, tensor<f32>) -> tensor<4x4x2x4xf32> loc(#scope8)
    %reshape.3 = stablehlo.reshape %reduce.2 : (tensor<4x4x2x4xf32>) -> tensor<4x4x8xf32> loc(#scope8)
    // layer 0 / attention / k_proj
    %parameter.5 = util.global.load @"blk.0.attn_k.weight" : tensor<32x16xf16> loc(#scope9)
    %convert.2 = stablehlo.convert %parameter.5 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope9)
    %dot_general.2 = stablehlo.dot_general %normed, %convert.2, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32> loc(#scope9)
    // layer 0 / attention
    %reshape.4 = stablehlo.reshape %dot_general.2 : (tensor<4x16xf32>) -> tensor<4x2x8xf32> loc(#scope6)
    // layer 0 / attention / k_rope
    %reshape.5 = stablehlo.reshape %reshape.4 : (tensor<4x2x8xf32>) -> tensor<4x2x2x4xf32> loc(#scope10)
    %broadcast_in_dim.6 = stablehlo.broadcast_in_dim %reshape.5, dims = [0, 1, 2, 4] : (tensor<4x2x2x4xf32>) -> tensor<4x2x2x2x4xf32> loc(#scope10)
    %broadcast_in_dim.7 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<4x2x2x4xf32>) -> tensor<4x2x2x2x4xf32> loc(#scope10)
    %multiply.5 = stablehlo.multiply %broadcast_in_dim.6, %broadcast_in_dim.7 : tensor<4x2x2x2x4xf32> loc(#scope10)
    %reduce.3.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope10)
    %reduce.3 = stablehlo.reduce(%multiply.5 init: %reduce.3.init) applies stablehlo.add across dimensions = [2] : (tensor<4x2x2x2x4xf32>, tensor<f32>) -> tensor<4x2x2x4xf32> loc(#scope10)
    %reshape.6 = stablehlo.reshape %reduce.3 : (tensor<4x2x2x4xf32>) -> tensor<4x2x8xf32> loc(#scope10)
    // layer 0 / attention / v_proj
    %parameter.6 = util.global.load @"blk.0.attn_v.weight" : tensor<32x16xf16> loc(#scope11)
    %convert.3 = stablehlo.convert %parameter.6 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope11)
    %dot_general.3 = stablehlo.dot_general %normed, %convert.3, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32> loc(#scope11)
    // layer 0 / attention
    %reshape.7 = stablehlo.reshape %dot_general.3 : (tensor<4x16xf32>) -> tensor<4x2x8xf32> loc(#scope6)
    // layer 0 / attention / cache
    %transpose.2 = stablehlo.transpose %reshape.6, dims = [1, 0, 2] : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32> loc(#scope12)
    %transpose.3 = stablehlo.transpose %reshape.7, dims = [1, 0, 2] : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32> loc(#scope12)
    %constant.5 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %layer = stablehlo.add %constant.5, %zero : tensor<i32> loc(#scope12)
    %constant.6 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %constant.7 = stablehlo.constant dense<2> : tensor<i32> loc(#scope12)
    %convert.4 = stablehlo.convert %transpose.2 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16> loc(#scope12)
    %reshape.8 = stablehlo.reshape %convert.4 : (tensor<2x4x8xf16>) -> tensor<1x2x4x8xf16> loc(#scope12)
    %constant.8 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %cache.2 = stablehlo.dynamic_update_slice %cache, %reshape.8, %layer, %constant.6, %scalar_to_tensor, %constant.8 : (tensor<2x4x64x8xf16>, tensor<1x2x4x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope12)
    %convert.5 = stablehlo.convert %transpose.3 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16> loc(#scope12)
    %reshape.9 = stablehlo.reshape %convert.5 : (tensor<2x4x8xf16>) -> tensor<1x2x4x8xf16> loc(#scope12)
    %constant.9 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %cache.3 = stablehlo.dynamic_update_slice %cache.2, %reshape.9, %layer, %constant.7, %scalar_to_tensor, %constant.9 : (tensor<2x4x64x8xf16>, tensor<1x2x4x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope12)
    %constant.10 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %constant.11 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %dynamic_slice = stablehlo.dynamic_slice %cache.3, %layer, %constant.6, %constant.10, %constant.11, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope12)
    %reshape.10 = stablehlo.reshape %dynamic_slice : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope12)
    %keys = stablehlo.convert %reshape.10 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope12)
    %constant.12 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %constant.13 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %dynamic_slice.2 = stablehlo.dynamic_slice %cache.3, %layer, %constant.7, %constant.12, %constant.13, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope12)
    %reshape.11 = stablehlo.reshape %dynamic_slice.2 : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope12)
    %values = stablehlo.convert %reshape.11 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope12)
    // layer 0 / attention / mix
    %reshape.12 = stablehlo.reshape %reshape.3 : (tensor<4x4x8xf32>) -> tensor<4x2x2x8xf32> loc(#scope13)
    %transpose.4 = stablehlo.transpose %reshape.12, dims = [1, 0, 2, 3] : (tensor<4x2x2x8xf32>) -> tensor<2x4x2x8xf32> loc(#scope13)
    %reshape.13 = stablehlo.reshape %transpose.4 : (tensor<2x4x2x8xf32>) -> tensor<2x8x8xf32> loc(#scope13)
    %dot_general.4 = stablehlo.dot_general %reshape.13, %keys, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x8xf32>, tensor<2x64x8xf32>) -> tensor<2x8x64xf32> loc(#scope13)
    %reshape.14 = stablehlo.reshape %dot_general.4 : (tensor<2x8x64xf32>) -> tensor<2x4x2x64xf32> loc(#scope13)
    %constant.14 = stablehlo.constant dense<0.35355338> : tensor<2x4x2x64xf32> loc(#scope13)
    %multiply.6 = stablehlo.multiply %reshape.14, %constant.14 : tensor<2x4x2x64xf32> loc(#scope13)
    %broadcast_in_dim.8 = stablehlo.broadcast_in_dim %visible, dims = [1, 3] : (tensor<4x64xi1>) -> tensor<2x4x2x64xi1> loc(#scope13)
    %constant.15 = stablehlo.constant dense<0xFF800000> : tensor<2x4x2x64xf32> loc(#scope13)
    %scores = stablehlo.select %broadcast_in_dim.8, %multiply.6, %constant.15 : tensor<2x4x2x64xi1>, tensor<2x4x2x64xf32> loc(#scope13)
    %reduce.4.init = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope13)
    %reduce.4 = stablehlo.reduce(%scores init: %reduce.4.init) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x2x64xf32>, tensor<f32>) -> tensor<2x4x2xf32> loc(#scope13)
    %broadcast_in_dim.9 = stablehlo.broadcast_in_dim %reduce.4, dims = [0, 1, 2] : (tensor<2x4x2xf32>) -> tensor<2x4x2x64xf32> loc(#scope13)
    %subtract = stablehlo.subtract %scores, %broadcast_in_dim.9 : tensor<2x4x2x64xf32> loc(#scope13)
    %weights = stablehlo.exponential %subtract : tensor<2x4x2x64xf32> loc(#scope13)
    %reduce.5.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope13)
    %reduce.5 = stablehlo.reduce(%weights init: %reduce.5.init) applies stablehlo.add across dimensions = [3] : (tensor<2x4x2x64xf32>, tensor<f32>) -> tensor<2x4x2xf32> loc(#scope13)
    %reshape.15 = stablehlo.reshape %weights : (tensor<2x4x2x64xf32>) -> tensor<2x8x64xf32> loc(#scope13)
    %dot_general.5 = stablehlo.dot_general %reshape.15, %values, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x64xf32>, tensor<2x64x8xf32>) -> tensor<2x8x8xf32> loc(#scope13)
    %reshape.16 = stablehlo.reshape %reduce.5 : (tensor<2x4x2xf32>) -> tensor<2x8xf32> loc(#scope13)
    %broadcast_in_dim.10 = stablehlo.broadcast_in_dim %reshape.16, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x8xf32> loc(#scope13)
    %divide = stablehlo.divide %dot_general.5, %broadcast_in_dim.10 : tensor<2x8x8xf32> loc(#scope13)
    %reshape.17 = stablehlo.reshape %divide : (tensor<2x8x8xf32>) -> tensor<2x4x2x8xf32> loc(#scope13)
    %transpose.5 = stablehlo.transpose %reshape.17, dims = [1, 0, 2, 3] : (tensor<2x4x2x8xf32>) -> tensor<4x2x2x8xf32> loc(#scope13)
    %reshape.18 = stablehlo.reshape %transpose.5 : (tensor<4x2x2x8xf32>) -> tensor<4x4x8xf32> loc(#scope13)
    // layer 0 / attention
    %reshape.19 = stablehlo.reshape %reshape.18 : (tensor<4x4x8xf32>) -> tensor<4x32xf32> loc(#scope6)
    // layer 0 / attention / o_proj
    %parameter.7 = util.global.load @"blk.0.attn_output.weight" : tensor<32x32xf16> loc(#scope14)
    %convert.6 = stablehlo.convert %parameter.7 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope14)
    %dot_general.6 = stablehlo.dot_general %reshape.19, %convert.6, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32> loc(#scope14)
    // layer 0
    %add.3 = stablehlo.add %hidden, %dot_general.6 : tensor<4x32xf32> loc(#scope4)
    // layer 0 / mlp_norm
    %multiply.7 = stablehlo.multiply %add.3, %add.3 : tensor<4x32xf32> loc(#scope15)
    %reduce.6.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope15)
    %reduce.6 = stablehlo.reduce(%multiply.7 init: %reduce.6.init) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32> loc(#scope15)
    %constant.16 = stablehlo.constant dense<0.03125> : tensor<4xf32> loc(#scope15)
    %multiply.8 = stablehlo.multiply %reduce.6, %constant.16 : tensor<4xf32> loc(#scope15)
    %constant.17 = stablehlo.constant dense<1.0e-5> : tensor<4xf32> loc(#scope15)
    %add.4 = stablehlo.add %multiply.8, %constant.17 : tensor<4xf32> loc(#scope15)
    %rsqrt.2 = stablehlo.rsqrt %add.4 : tensor<4xf32> loc(#scope15)
    %broadcast_in_dim.11 = stablehlo.broadcast_in_dim %rsqrt.2, dims = [0] : (tensor<4xf32>) -> tensor<4x32xf32> loc(#scope15)
    %multiply.9 = stablehlo.multiply %add.3, %broadcast_in_dim.11 : tensor<4x32xf32> loc(#scope15)
    %parameter.8 = util.global.load @"blk.0.ffn_norm.weight" : tensor<32xf32> loc(#scope15)
    %broadcast_in_dim.12 = stablehlo.broadcast_in_dim %parameter.8, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32> loc(#scope15)
    %normed.2 = stablehlo.multiply %multiply.9, %broadcast_in_dim.12 : tensor<4x32xf32> loc(#scope15)
    // layer 0 / mlp / gate_proj
    %parameter.9 = util.global.load @"blk.0.ffn_gate.weight" : tensor<32x40xf16> loc(#scope17)
    %convert.7 = stablehlo.convert %parameter.9 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope17)
    %dot_general.7 = stablehlo.dot_general %normed.2, %convert.7, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x40xf32>) -> tensor<4x40xf32> loc(#scope17)
    // layer 0 / mlp / up_proj
    %parameter.10 = util.global.load @"blk.0.ffn_up.weight" : tensor<32x40xf16> loc(#scope18)
    %convert.8 = stablehlo.convert %parameter.10 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope18)
    %dot_general.8 = stablehlo.dot_general %normed.2, %convert.8, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x40xf32>) -> tensor<4x40xf32> loc(#scope18)
    // layer 0 / mlp
    %logistic = stablehlo.logistic %dot_general.7 : tensor<4x40xf32> loc(#scope16)
    %multiply.10 = stablehlo.multiply %dot_general.7, %logistic : tensor<4x40xf32> loc(#scope16)
    %gated = stablehlo.multiply %multiply.10, %dot_general.8 : tensor<4x40xf32> loc(#scope16)
    // layer 0 / mlp / down_proj
    %parameter.11 = util.global.load @"blk.0.ffn_down.weight" : tensor<40x32xf16> loc(#scope19)
    %convert.9 = stablehlo.convert %parameter.11 : (tensor<40x32xf16>) -> tensor<40x32xf32> loc(#scope19)
    %dot_general.9 = stablehlo.dot_general %gated, %convert.9, contracting_dims = [1] x [0] : (tensor<4x40xf32>, tensor<40x32xf32>) -> tensor<4x32xf32> loc(#scope19)
    // layer 0
    %hidden.2 = stablehlo.add %add.3, %dot_general.9 : tensor<4x32xf32> loc(#scope4)
    // layer 1 / attention_norm
    %multiply.11 = stablehlo.multiply %hidden.2, %hidden.2 : tensor<4x32xf32> loc(#scope21)
    %reduce.7.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope21)
    %reduce.7 = stablehlo.reduce(%multiply.11 init: %reduce.7.init) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32> loc(#scope21)
    %constant.18 = stablehlo.constant dense<0.03125> : tensor<4xf32> loc(#scope21)
    %multiply.12 = stablehlo.multiply %reduce.7, %constant.18 : tensor<4xf32> loc(#scope21)
    %constant.19 = stablehlo.constant dense<1.0e-5> : tensor<4xf32> loc(#scope21)
    %add.5 = stablehlo.add %multiply.12, %constant.19 : tensor<4xf32> loc(#scope21)
    %rsqrt.3 = stablehlo.rsqrt %add.5 : tensor<4xf32> loc(#scope21)
    %broadcast_in_dim.13 = stablehlo.broadcast_in_dim %rsqrt.3, dims = [0] : (tensor<4xf32>) -> tensor<4x32xf32> loc(#scope21)
    %multiply.13 = stablehlo.multiply %hidden.2, %broadcast_in_dim.13 : tensor<4x32xf32> loc(#scope21)
    %parameter.12 = util.global.load @"blk.1.attn_norm.weight" : tensor<32xf32> loc(#scope21)
    %broadcast_in_dim.14 = stablehlo.broadcast_in_dim %parameter.12, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32> loc(#scope21)
    %normed.3 = stablehlo.multiply %multiply.13, %broadcast_in_dim.14 : tensor<4x32xf32> loc(#scope21)
    // layer 1 / attention / q_proj
    %parameter.13 = util.global.load @"blk.1.attn_q.weight" : tensor<32x32xf16> loc(#scope23)
    %convert.10 = stablehlo.convert %parameter.13 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope23)
    %dot_general.10 = stablehlo.dot_general %normed.3, %convert.10, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32> loc(#scope23)
    // layer 1 / attention
    %reshape.20 = stablehlo.reshape %dot_general.10 : (tensor<4x32xf32>) -> tensor<4x4x8xf32> loc(#scope22)
    // layer 1 / attention / q_rope
    %reshape.21 = stablehlo.reshape %reshape.20 : (tensor<4x4x8xf32>) -> tensor<4x4x2x4xf32> loc(#scope24)
    %broadcast_in_dim.15 = stablehlo.broadcast_in_dim %reshape.21, dims = [0, 1, 2, 4] : (tensor<4x4x2x4xf32>) -> tensor<4x4x2x2x4xf32> loc(#scope24)
    %broadcast_in_dim.16 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<4x2x2x4xf32>) -> tensor<4x4x2x2x4xf32> loc(#scope24)
    %multiply.14 = stablehlo.multiply %broadcast_in_dim.15, %broadcast_in_dim.16 : tensor<4x4x2x2x4xf32> loc(#scope24)
    %reduce.8.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope24)
    %reduce.8 = stablehlo.reduce(%multiply.14 init: %reduce.8.init) applies stablehlo.add across dimensions = [2] : (tensor<4x4x2x2x4xf32>, tensor<f32>) -> tensor<4x4x2x4xf32> loc(#scope24)
    %reshape.22 = stablehlo.reshape %reduce.8 : (tensor<4x4x2x4xf32>) -> tensor<4x4x8xf32> loc(#scope24)
    // layer 1 / attention / k_proj
    %parameter.14 = util.global.load @"blk.1.attn_k.weight" : tensor<32x16xf16> loc(#scope25)
    %convert.11 = stablehlo.convert %parameter.14 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope25)
    %dot_general.11 = stablehlo.dot_general %normed.3, %convert.11, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32> loc(#scope25)
    // layer 1 / attention
    %reshape.23 = stablehlo.reshape %dot_general.11 : (tensor<4x16xf32>) -> tensor<4x2x8xf32> loc(#scope22)
    // layer 1 / attention / k_rope
    %reshape.24 = stablehlo.reshape %reshape.23 : (tensor<4x2x8xf32>) -> tensor<4x2x2x4xf32> loc(#scope26)
    %broadcast_in_dim.17 = stablehlo.broadcast_in_dim %reshape.24, dims = [0, 1, 2, 4] : (tensor<4x2x2x4xf32>) -> tensor<4x2x2x2x4xf32> loc(#scope26)
    %broadcast_in_dim.18 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<4x2x2x4xf32>) -> tensor<4x2x2x2x4xf32> loc(#scope26)
    %multiply.15 = stablehlo.multiply %broadcast_in_dim.17, %broadcast_in_dim.18 : tensor<4x2x2x2x4xf32> loc(#scope26)
    %reduce.9.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope26)
    %reduce.9 = stablehlo.reduce(%multiply.15 init: %reduce.9.init) applies stablehlo.add across dimensions = [2] : (tensor<4x2x2x2x4xf32>, tensor<f32>) -> tensor<4x2x2x4xf32> loc(#scope26)
    %reshape.25 = stablehlo.reshape %reduce.9 : (tensor<4x2x2x4xf32>) -> tensor<4x2x8xf32> loc(#scope26)
    // layer 1 / attention / v_proj
    %parameter.15 = util.global.load @"blk.1.attn_v.weight" : tensor<32x16xf16> loc(#scope27)
    %convert.12 = stablehlo.convert %parameter.15 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope27)
    %dot_general.12 = stablehlo.dot_general %normed.3, %convert.12, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32> loc(#scope27)
    // layer 1 / attention
    %reshape.26 = stablehlo.reshape %dot_general.12 : (tensor<4x16xf32>) -> tensor<4x2x8xf32> loc(#scope22)
    // layer 1 / attention / cache
    %transpose.6 = stablehlo.transpose %reshape.25, dims = [1, 0, 2] : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32> loc(#scope28)
    %transpose.7 = stablehlo.transpose %reshape.26, dims = [1, 0, 2] : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32> loc(#scope28)
    %constant.20 = stablehlo.constant dense<1> : tensor<i32> loc(#scope28)
    %layer.2 = stablehlo.add %constant.20, %zero : tensor<i32> loc(#scope28)
    %constant.21 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %constant.22 = stablehlo.constant dense<2> : tensor<i32> loc(#scope28)
    %convert.13 = stablehlo.convert %transpose.6 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16> loc(#scope28)
    %reshape.27 = stablehlo.reshape %convert.13 : (tensor<2x4x8xf16>) -> tensor<1x2x4x8xf16> loc(#scope28)
    %constant.23 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %cache.4 = stablehlo.dynamic_update_slice %cache.3, %reshape.27, %layer.2, %constant.21, %scalar_to_tensor, %constant.23 : (tensor<2x4x64x8xf16>, tensor<1x2x4x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope28)
    %convert.14 = stablehlo.convert %transpose.7 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16> loc(#scope28)
    %reshape.28 = stablehlo.reshape %convert.14 : (tensor<2x4x8xf16>) -> tensor<1x2x4x8xf16> loc(#scope28)
    %constant.24 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %cache.5 = stablehlo.dynamic_update_slice %cache.4, %reshape.28, %layer.2, %constant.22, %scalar_to_tensor, %constant.24 : (tensor<2x4x64x8xf16>, tensor<1x2x4x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope28)
    %constant.25 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %constant.26 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %dynamic_slice.3 = stablehlo.dynamic_slice %cache.5, %layer.2, %constant.21, %constant.25, %constant.26, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope28)
    %reshape.29 = stablehlo.reshape %dynamic_slice.3 : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope28)
    %keys.2 = stablehlo.convert %reshape.29 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope28)
    %constant.27 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %constant.28 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %dynamic_slice.4 = stablehlo.dynamic_slice %cache.5, %layer.2, %constant.22, %constant.27, %constant.28, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope28)
    %reshape.30 = stablehlo.reshape %dynamic_slice.4 : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope28)
    %values.2 = stablehlo.convert %reshape.30 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope28)
    // layer 1 / attention / mix
    %reshape.31 = stablehlo.reshape %reshape.22 : (tensor<4x4x8xf32>) -> tensor<4x2x2x8xf32> loc(#scope29)
    %transpose.8 = stablehlo.transpose %reshape.31, dims = [1, 0, 2, 3] : (tensor<4x2x2x8xf32>) -> tensor<2x4x2x8xf32> loc(#scope29)
    %reshape.32 = stablehlo.reshape %transpose.8 : (tensor<2x4x2x8xf32>) -> tensor<2x8x8xf32> loc(#scope29)
    %dot_general.13 = stablehlo.dot_general %reshape.32, %keys.2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x8xf32>, tensor<2x64x8xf32>) -> tensor<2x8x64xf32> loc(#scope29)
    %reshape.33 = stablehlo.reshape %dot_general.13 : (tensor<2x8x64xf32>) -> tensor<2x4x2x64xf32> loc(#scope29)
    %constant.29 = stablehlo.constant dense<0.35355338> : tensor<2x4x2x64xf32> loc(#scope29)
    %multiply.16 = stablehlo.multiply %reshape.33, %constant.29 : tensor<2x4x2x64xf32> loc(#scope29)
    %broadcast_in_dim.19 = stablehlo.broadcast_in_dim %visible, dims = [1, 3] : (tensor<4x64xi1>) -> tensor<2x4x2x64xi1> loc(#scope29)
    %constant.30 = stablehlo.constant dense<0xFF800000> : tensor<2x4x2x64xf32> loc(#scope29)
    %scores.2 = stablehlo.select %broadcast_in_dim.19, %multiply.16, %constant.30 : tensor<2x4x2x64xi1>, tensor<2x4x2x64xf32> loc(#scope29)
    %reduce.10.init = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope29)
    %reduce.10 = stablehlo.reduce(%scores.2 init: %reduce.10.init) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x2x64xf32>, tensor<f32>) -> tensor<2x4x2xf32> loc(#scope29)
    %broadcast_in_dim.20 = stablehlo.broadcast_in_dim %reduce.10, dims = [0, 1, 2] : (tensor<2x4x2xf32>) -> tensor<2x4x2x64xf32> loc(#scope29)
    %subtract.2 = stablehlo.subtract %scores.2, %broadcast_in_dim.20 : tensor<2x4x2x64xf32> loc(#scope29)
    %weights.2 = stablehlo.exponential %subtract.2 : tensor<2x4x2x64xf32> loc(#scope29)
    %reduce.11.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope29)
    %reduce.11 = stablehlo.reduce(%weights.2 init: %reduce.11.init) applies stablehlo.add across dimensions = [3] : (tensor<2x4x2x64xf32>, tensor<f32>) -> tensor<2x4x2xf32> loc(#scope29)
    %reshape.34 = stablehlo.reshape %weights.2 : (tensor<2x4x2x64xf32>) -> tensor<2x8x64xf32> loc(#scope29)
    %dot_general.14 = stablehlo.dot_general %reshape.34, %values.2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x64xf32>, tensor<2x64x8xf32>) -> tensor<2x8x8xf32> loc(#scope29)
    %reshape.35 = stablehlo.reshape %reduce.11 : (tensor<2x4x2xf32>) -> tensor<2x8xf32> loc(#scope29)
    %broadcast_in_dim.21 = stablehlo.broadcast_in_dim %reshape.35, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x8xf32> loc(#scope29)
    %divide.2 = stablehlo.divide %dot_general.14, %broadcast_in_dim.21 : tensor<2x8x8xf32> loc(#scope29)
    %reshape.36 = stablehlo.reshape %divide.2 : (tensor<2x8x8xf32>) -> tensor<2x4x2x8xf32> loc(#scope29)
    %transpose.9 = stablehlo.transpose %reshape.36, dims = [1, 0, 2, 3] : (tensor<2x4x2x8xf32>) -> tensor<4x2x2x8xf32> loc(#scope29)
    %reshape.37 = stablehlo.reshape %transpose.9 : (tensor<4x2x2x8xf32>) -> tensor<4x4x8xf32> loc(#scope29)
    // layer 1 / attention
    %reshape.38 = stablehlo.reshape %reshape.37 : (tensor<4x4x8xf32>) -> tensor<4x32xf32> loc(#scope22)
    // layer 1 / attention / o_proj
    %parameter.16 = util.global.load @"blk.1.attn_output.weight" : tensor<32x32xf16> loc(#scope30)
    %convert.15 = stablehlo.convert %parameter.16 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope30)
    %dot_general.15 = stablehlo.dot_general %reshape.38, %convert.15, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32> loc(#scope30)
    // layer 1
    %add.6 = stablehlo.add %hidden.2, %dot_general.15 : tensor<4x32xf32> loc(#scope20)
    // layer 1 / mlp_norm
    %multiply.17 = stablehlo.multiply %add.6, %add.6 : tensor<4x32xf32> loc(#scope31)
    %reduce.12.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope31)
    %reduce.12 = stablehlo.reduce(%multiply.17 init: %reduce.12.init) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32> loc(#scope31)
    %constant.31 = stablehlo.constant dense<0.03125> : tensor<4xf32> loc(#scope31)
    %multiply.18 = stablehlo.multiply %reduce.12, %constant.31 : tensor<4xf32> loc(#scope31)
    %constant.32 = stablehlo.constant dense<1.0e-5> : tensor<4xf32> loc(#scope31)
    %add.7 = stablehlo.add %multiply.18, %constant.32 : tensor<4xf32> loc(#scope31)
    %rsqrt.4 = stablehlo.rsqrt %add.7 : tensor<4xf32> loc(#scope31)
    %broadcast_in_dim.22 = stablehlo.broadcast_in_dim %rsqrt.4, dims = [0] : (tensor<4xf32>) -> tensor<4x32xf32> loc(#scope31)
    %multiply.19 = stablehlo.multiply %add.6, %broadcast_in_dim.22 : tensor<4x32xf32> loc(#scope31)
    %parameter.17 = util.global.load @"blk.1.ffn_norm.weight" : tensor<32xf32> loc(#scope31)
    %broadcast_in_dim.23 = stablehlo.broadcast_in_dim %parameter.17, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32> loc(#scope31)
    %normed.4 = stablehlo.multiply %multiply.19, %broadcast_in_dim.23 : tensor<4x32xf32> loc(#scope31)
    // layer 1 / mlp / gate_proj
    %parameter.18 = util.global.load @"blk.1.ffn_gate.weight" : tensor<32x40xf16> loc(#scope33)
    %convert.16 = stablehlo.convert %parameter.18 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope33)
    %dot_general.16 = stablehlo.dot_general %normed.4, %convert.16, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x40xf32>) -> tensor<4x40xf32> loc(#scope33)
    // layer 1 / mlp / up_proj
    %parameter.19 = util.global.load @"blk.1.ffn_up.weight" : tensor<32x40xf16> loc(#scope34)
    %convert.17 = stablehlo.convert %parameter.19 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope34)
    %dot_general.17 = stablehlo.dot_general %normed.4, %convert.17, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x40xf32>) -> tensor<4x40xf32> loc(#scope34)
    // layer 1 / mlp
    %logistic.2 = stablehlo.logistic %dot_general.16 : tensor<4x40xf32> loc(#scope32)
    %multiply.20 = stablehlo.multiply %dot_general.16, %logistic.2 : tensor<4x40xf32> loc(#scope32)
    %gated.2 = stablehlo.multiply %multiply.20, %dot_general.17 : tensor<4x40xf32> loc(#scope32)
    // layer 1 / mlp / down_proj
    %parameter.20 = util.global.load @"blk.1.ffn_down.weight" : tensor<40x32xf16> loc(#scope35)
    %convert.18 = stablehlo.convert %parameter.20 : (tensor<40x32xf16>) -> tensor<40x32xf32> loc(#scope35)
    %dot_general.18 = stablehlo.dot_general %gated.2, %convert.18, contracting_dims = [1] x [0] : (tensor<4x40xf32>, tensor<40x32xf32>) -> tensor<4x32xf32> loc(#scope35)
    // layer 1
    %hidden.3 = stablehlo.add %add.6, %dot_general.18 : tensor<4x32xf32> loc(#scope20)
    // last
    %constant.33 = stablehlo.constant dense<1> : tensor<i32> loc(#scope36)
    %subtract.3 = stablehlo.subtract %scalar_to_tensor.2, %constant.33 : tensor<i32> loc(#scope36)
    %constant.34 = stablehlo.constant dense<0> : tensor<i32> loc(#scope36)
    %dynamic_slice.5 = stablehlo.dynamic_slice %hidden.3, %subtract.3, %constant.34, sizes = [1, 32] : (tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32> loc(#scope36)
    // output_norm
    %multiply.21 = stablehlo.multiply %dynamic_slice.5, %dynamic_slice.5 : tensor<1x32xf32> loc(#scope37)
    %reduce.13.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope37)
    %reduce.13 = stablehlo.reduce(%multiply.21 init: %reduce.13.init) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32> loc(#scope37)
    %constant.35 = stablehlo.constant dense<0.03125> : tensor<1xf32> loc(#scope37)
    %multiply.22 = stablehlo.multiply %reduce.13, %constant.35 : tensor<1xf32> loc(#scope37)
    %constant.36 = stablehlo.constant dense<1.0e-5> : tensor<1xf32> loc(#scope37)
    %add.8 = stablehlo.add %multiply.22, %constant.36 : tensor<1xf32> loc(#scope37)
    %rsqrt.5 = stablehlo.rsqrt %add.8 : tensor<1xf32> loc(#scope37)
    %broadcast_in_dim.24 = stablehlo.broadcast_in_dim %rsqrt.5, dims = [0] : (tensor<1xf32>) -> tensor<1x32xf32> loc(#scope37)
    %multiply.23 = stablehlo.multiply %dynamic_slice.5, %broadcast_in_dim.24 : tensor<1x32xf32> loc(#scope37)
    %parameter.21 = util.global.load @"output_norm.weight" : tensor<32xf32> loc(#scope37)
    %broadcast_in_dim.25 = stablehlo.broadcast_in_dim %parameter.21, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32> loc(#scope37)
    %normed.5 = stablehlo.multiply %multiply.23, %broadcast_in_dim.25 : tensor<1x32xf32> loc(#scope37)
    // output
    %parameter.22 = util.global.load @"token_embd.weight" : tensor<32x48xf16> loc(#scope38)
    %convert.19 = stablehlo.convert %parameter.22 : (tensor<32x48xf16>) -> tensor<32x48xf32> loc(#scope38)
    %logits = stablehlo.dot_general %normed.5, %convert.19, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x48xf32>) -> tensor<1x48xf32> loc(#scope38)
    // model
    %next.least = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope0)
    %next.none = stablehlo.constant dense<2147483647> : tensor<i32> loc(#scope0)
    %next.index = stablehlo.iota dim = 1 : tensor<1x48xi32> loc(#scope0)
    %next:2 = stablehlo.reduce(%logits init: %next.least), (%next.index init: %next.none) across dimensions = [1] : (tensor<1x48xf32>, tensor<1x48xi32>, tensor<f32>, tensor<i32>) -> (tensor<1xf32>, tensor<1xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%ai: tensor<i32>, %bi: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %ai, %bi, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %equal, %earlier : tensor<i1>
      %wins = stablehlo.or %greater, %first : tensor<i1>
      %value = stablehlo.select %wins, %a, %b : tensor<i1>, tensor<f32>
      %at = stablehlo.select %wins, %ai, %bi : tensor<i1>, tensor<i32>
      stablehlo.return %value, %at : tensor<f32>, tensor<i32>
    } loc(#scope0)
    return %next#1, %logits, %cache.5 : tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>
  }

  func.func public @decode(%token: tensor<1xi32>, %position: i32, %cache: tensor<2x4x64x8xf16> {iree.abi.consume}) -> (tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>) {
    // model
    %scalar_to_tensor = tensor.from_elements %position : tensor<i32> loc(#scope0)
    // rope
    %parameter = util.global.load @rope : tensor<64x2x2x4xf32> loc(#scope1)
    %constant = stablehlo.constant dense<0> : tensor<i32> loc(#scope1)
    %rotation = stablehlo.dynamic_slice %parameter, %scalar_to_tensor, %constant, %constant, %constant, sizes = [1, 2, 2, 4] : (tensor<64x2x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x2x4xf32> loc(#scope1)
    // mask
    %iota = stablehlo.iota dim = 0 : tensor<1x64xi32> loc(#scope2)
    %broadcast_in_dim = stablehlo.broadcast_in_dim %scalar_to_tensor, dims = [] : (tensor<i32>) -> tensor<1x64xi32> loc(#scope2)
    %add = stablehlo.add %iota, %broadcast_in_dim : tensor<1x64xi32> loc(#scope2)
    %iota.2 = stablehlo.iota dim = 1 : tensor<1x64xi32> loc(#scope2)
    %visible = stablehlo.compare LE, %iota.2, %add, SIGNED : (tensor<1x64xi32>, tensor<1x64xi32>) -> tensor<1x64xi1> loc(#scope2)
    // model
    %constant.2 = stablehlo.constant dense<0> : tensor<i32> loc(#scope0)
    %zero = stablehlo.minimum %scalar_to_tensor, %constant.2 : tensor<i32> loc(#scope0)
    // embedding
    %parameter.2 = util.global.load @"token_embd.weight" : tensor<32x48xf16> loc(#scope3)
    %gather = "stablehlo.gather"(%parameter.2, %token) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 32, 1>, indices_are_sorted = false}> : (tensor<32x48xf16>, tensor<1xi32>) -> tensor<32x1xf16> loc(#scope3)
    %transpose = stablehlo.transpose %gather, dims = [1, 0] : (tensor<32x1xf16>) -> tensor<1x32xf16> loc(#scope3)
    %hidden = stablehlo.convert %transpose : (tensor<1x32xf16>) -> tensor<1x32xf32> loc(#scope3)
    // layer 0 / attention_norm
    %multiply = stablehlo.multiply %hidden, %hidden : tensor<1x32xf32> loc(#scope5)
    %reduce.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope5)
    %reduce = stablehlo.reduce(%multiply init: %reduce.init) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32> loc(#scope5)
    %constant.3 = stablehlo.constant dense<0.03125> : tensor<1xf32> loc(#scope5)
    %multiply.2 = stablehlo.multiply %reduce, %constant.3 : tensor<1xf32> loc(#scope5)
    %constant.4 = stablehlo.constant dense<1.0e-5> : tensor<1xf32> loc(#scope5)
    %add.2 = stablehlo.add %multiply.2, %constant.4 : tensor<1xf32> loc(#scope5)
    %rsqrt = stablehlo.rsqrt %add.2 : tensor<1xf32> loc(#scope5)
    %broadcast_in_dim.2 = stablehlo.broadcast_in_dim %rsqrt, dims = [0] : (tensor<1xf32>) -> tensor<1x32xf32> loc(#scope5)
    %multiply.3 = stablehlo.multiply %hidden, %broadcast_in_dim.2 : tensor<1x32xf32> loc(#scope5)
    %parameter.3 = util.global.load @"blk.0.attn_norm.weight" : tensor<32xf32> loc(#scope5)
    %broadcast_in_dim.3 = stablehlo.broadcast_in_dim %parameter.3, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32> loc(#scope5)
    %normed = stablehlo.multiply %multiply.3, %broadcast_in_dim.3 : tensor<1x32xf32> loc(#scope5)
    // layer 0 / attention / q_proj
    %parameter.4 = util.global.load @"blk.0.attn_q.weight" : tensor<32x32xf16> loc(#scope7)
    %convert = stablehlo.convert %parameter.4 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope7)
    %dot_general = stablehlo.dot_general %normed, %convert, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32> loc(#scope7)
    // layer 0 / attention
    %reshape = stablehlo.reshape %dot_general : (tensor<1x32xf32>) -> tensor<1x4x8xf32> loc(#scope6)
    // layer 0 / attention / q_rope
    %reshape.2 = stablehlo.reshape %reshape : (tensor<1x4x8xf32>) -> tensor<1x4x2x4xf32> loc(#scope8)
    %broadcast_in_dim.4 = stablehlo.broadcast_in_dim %reshape.2, dims = [0, 1, 2, 4] : (tensor<1x4x2x4xf32>) -> tensor<1x4x2x2x4xf32> loc(#scope8)
    %broadcast_in_dim.5 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<1x2x2x4xf32>) -> tensor<1x4x2x2x4xf32> loc(#scope8)
    %multiply.4 = stablehlo.multiply %broadcast_in_dim.4, %broadcast_in_dim.5 : tensor<1x4x2x2x4xf32> loc(#scope8)
    %reduce.2.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope8)
    %reduce.2 = stablehlo.reduce(%multiply.4 init: %reduce.2.init) applies stablehlo.add across dimensions = [2] : (tensor<1x4x2x2x4xf32>, tensor<f32>) -> tensor<1x4x2x4xf32> loc(#scope8)
    %reshape.3 = stablehlo.reshape %reduce.2 : (tensor<1x4x2x4xf32>) -> tensor<1x4x8xf32> loc(#scope8)
    // layer 0 / attention / k_proj
    %parameter.5 = util.global.load @"blk.0.attn_k.weight" : tensor<32x16xf16> loc(#scope9)
    %convert.2 = stablehlo.convert %parameter.5 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope9)
    %dot_general.2 = stablehlo.dot_general %normed, %convert.2, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32> loc(#scope9)
    // layer 0 / attention
    %reshape.4 = stablehlo.reshape %dot_general.2 : (tensor<1x16xf32>) -> tensor<1x2x8xf32> loc(#scope6)
    // layer 0 / attention / k_rope
    %reshape.5 = stablehlo.reshape %reshape.4 : (tensor<1x2x8xf32>) -> tensor<1x2x2x4xf32> loc(#scope10)
    %broadcast_in_dim.6 = stablehlo.broadcast_in_dim %reshape.5, dims = [0, 1, 2, 4] : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x2x4xf32> loc(#scope10)
    %broadcast_in_dim.7 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x2x4xf32> loc(#scope10)
    %multiply.5 = stablehlo.multiply %broadcast_in_dim.6, %broadcast_in_dim.7 : tensor<1x2x2x2x4xf32> loc(#scope10)
    %reduce.3.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope10)
    %reduce.3 = stablehlo.reduce(%multiply.5 init: %reduce.3.init) applies stablehlo.add across dimensions = [2] : (tensor<1x2x2x2x4xf32>, tensor<f32>) -> tensor<1x2x2x4xf32> loc(#scope10)
    %reshape.6 = stablehlo.reshape %reduce.3 : (tensor<1x2x2x4xf32>) -> tensor<1x2x8xf32> loc(#scope10)
    // layer 0 / attention / v_proj
    %parameter.6 = util.global.load @"blk.0.attn_v.weight" : tensor<32x16xf16> loc(#scope11)
    %convert.3 = stablehlo.convert %parameter.6 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope11)
    %dot_general.3 = stablehlo.dot_general %normed, %convert.3, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32> loc(#scope11)
    // layer 0 / attention
    %reshape.7 = stablehlo.reshape %dot_general.3 : (tensor<1x16xf32>) -> tensor<1x2x8xf32> loc(#scope6)
    // layer 0 / attention / cache
    %transpose.2 = stablehlo.transpose %reshape.6, dims = [1, 0, 2] : (tensor<1x2x8xf32>) -> tensor<2x1x8xf32> loc(#scope12)
    %transpose.3 = stablehlo.transpose %reshape.7, dims = [1, 0, 2] : (tensor<1x2x8xf32>) -> tensor<2x1x8xf32> loc(#scope12)
    %constant.5 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %layer = stablehlo.add %constant.5, %zero : tensor<i32> loc(#scope12)
    %constant.6 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %constant.7 = stablehlo.constant dense<2> : tensor<i32> loc(#scope12)
    %convert.4 = stablehlo.convert %transpose.2 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf16> loc(#scope12)
    %reshape.8 = stablehlo.reshape %convert.4 : (tensor<2x1x8xf16>) -> tensor<1x2x1x8xf16> loc(#scope12)
    %constant.8 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %cache.2 = stablehlo.dynamic_update_slice %cache, %reshape.8, %layer, %constant.6, %scalar_to_tensor, %constant.8 : (tensor<2x4x64x8xf16>, tensor<1x2x1x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope12)
    %convert.5 = stablehlo.convert %transpose.3 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf16> loc(#scope12)
    %reshape.9 = stablehlo.reshape %convert.5 : (tensor<2x1x8xf16>) -> tensor<1x2x1x8xf16> loc(#scope12)
    %constant.9 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %cache.3 = stablehlo.dynamic_update_slice %cache.2, %reshape.9, %layer, %constant.7, %scalar_to_tensor, %constant.9 : (tensor<2x4x64x8xf16>, tensor<1x2x1x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope12)
    %constant.10 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %constant.11 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %dynamic_slice = stablehlo.dynamic_slice %cache.3, %layer, %constant.6, %constant.10, %constant.11, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope12)
    %reshape.10 = stablehlo.reshape %dynamic_slice : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope12)
    %keys = stablehlo.convert %reshape.10 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope12)
    %constant.12 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %constant.13 = stablehlo.constant dense<0> : tensor<i32> loc(#scope12)
    %dynamic_slice.2 = stablehlo.dynamic_slice %cache.3, %layer, %constant.7, %constant.12, %constant.13, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope12)
    %reshape.11 = stablehlo.reshape %dynamic_slice.2 : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope12)
    %values = stablehlo.convert %reshape.11 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope12)
    // layer 0 / attention / mix
    %reshape.12 = stablehlo.reshape %reshape.3 : (tensor<1x4x8xf32>) -> tensor<1x2x2x8xf32> loc(#scope13)
    %transpose.4 = stablehlo.transpose %reshape.12, dims = [1, 0, 2, 3] : (tensor<1x2x2x8xf32>) -> tensor<2x1x2x8xf32> loc(#scope13)
    %reshape.13 = stablehlo.reshape %transpose.4 : (tensor<2x1x2x8xf32>) -> tensor<2x2x8xf32> loc(#scope13)
    %dot_general.4 = stablehlo.dot_general %reshape.13, %keys, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x2x8xf32>, tensor<2x64x8xf32>) -> tensor<2x2x64xf32> loc(#scope13)
    %reshape.14 = stablehlo.reshape %dot_general.4 : (tensor<2x2x64xf32>) -> tensor<2x1x2x64xf32> loc(#scope13)
    %constant.14 = stablehlo.constant dense<0.35355338> : tensor<2x1x2x64xf32> loc(#scope13)
    %multiply.6 = stablehlo.multiply %reshape.14, %constant.14 : tensor<2x1x2x64xf32> loc(#scope13)
    %broadcast_in_dim.8 = stablehlo.broadcast_in_dim %visible, dims = [1, 3] : (tensor<1x64xi1>) -> tensor<2x1x2x64xi1> loc(#scope13)
    %constant.15 = stablehlo.constant dense<0xFF800000> : tensor<2x1x2x64xf32> loc(#scope13)
    %scores = stablehlo.select %broadcast_in_dim.8, %multiply.6, %constant.15 : tensor<2x1x2x64xi1>, tensor<2x1x2x64xf32> loc(#scope13)
    %reduce.4.init = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope13)
    %reduce.4 = stablehlo.reduce(%scores init: %reduce.4.init) applies stablehlo.maximum across dimensions = [3] : (tensor<2x1x2x64xf32>, tensor<f32>) -> tensor<2x1x2xf32> loc(#scope13)
    %broadcast_in_dim.9 = stablehlo.broadcast_in_dim %reduce.4, dims = [0, 1, 2] : (tensor<2x1x2xf32>) -> tensor<2x1x2x64xf32> loc(#scope13)
    %subtract = stablehlo.subtract %scores, %broadcast_in_dim.9 : tensor<2x1x2x64xf32> loc(#scope13)
    %weights = stablehlo.exponential %subtract : tensor<2x1x2x64xf32> loc(#scope13)
    %reduce.5.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope13)
    %reduce.5 = stablehlo.reduce(%weights init: %reduce.5.init) applies stablehlo.add across dimensions = [3] : (tensor<2x1x2x64xf32>, tensor<f32>) -> tensor<2x1x2xf32> loc(#scope13)
    %reshape.15 = stablehlo.reshape %weights : (tensor<2x1x2x64xf32>) -> tensor<2x2x64xf32> loc(#scope13)
    %dot_general.5 = stablehlo.dot_general %reshape.15, %values, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x64xf32>, tensor<2x64x8xf32>) -> tensor<2x2x8xf32> loc(#scope13)
    %reshape.16 = stablehlo.reshape %reduce.5 : (tensor<2x1x2xf32>) -> tensor<2x2xf32> loc(#scope13)
    %broadcast_in_dim.10 = stablehlo.broadcast_in_dim %reshape.16, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x8xf32> loc(#scope13)
    %divide = stablehlo.divide %dot_general.5, %broadcast_in_dim.10 : tensor<2x2x8xf32> loc(#scope13)
    %reshape.17 = stablehlo.reshape %divide : (tensor<2x2x8xf32>) -> tensor<2x1x2x8xf32> loc(#scope13)
    %transpose.5 = stablehlo.transpose %reshape.17, dims = [1, 0, 2, 3] : (tensor<2x1x2x8xf32>) -> tensor<1x2x2x8xf32> loc(#scope13)
    %reshape.18 = stablehlo.reshape %transpose.5 : (tensor<1x2x2x8xf32>) -> tensor<1x4x8xf32> loc(#scope13)
    // layer 0 / attention
    %reshape.19 = stablehlo.reshape %reshape.18 : (tensor<1x4x8xf32>) -> tensor<1x32xf32> loc(#scope6)
    // layer 0 / attention / o_proj
    %parameter.7 = util.global.load @"blk.0.attn_output.weight" : tensor<32x32xf16> loc(#scope14)
    %convert.6 = stablehlo.convert %parameter.7 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope14)
    %dot_general.6 = stablehlo.dot_general %reshape.19, %convert.6, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32> loc(#scope14)
    // layer 0
    %add.3 = stablehlo.add %hidden, %dot_general.6 : tensor<1x32xf32> loc(#scope4)
    // layer 0 / mlp_norm
    %multiply.7 = stablehlo.multiply %add.3, %add.3 : tensor<1x32xf32> loc(#scope15)
    %reduce.6.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope15)
    %reduce.6 = stablehlo.reduce(%multiply.7 init: %reduce.6.init) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32> loc(#scope15)
    %constant.16 = stablehlo.constant dense<0.03125> : tensor<1xf32> loc(#scope15)
    %multiply.8 = stablehlo.multiply %reduce.6, %constant.16 : tensor<1xf32> loc(#scope15)
    %constant.17 = stablehlo.constant dense<1.0e-5> : tensor<1xf32> loc(#scope15)
    %add.4 = stablehlo.add %multiply.8, %constant.17 : tensor<1xf32> loc(#scope15)
    %rsqrt.2 = stablehlo.rsqrt %add.4 : tensor<1xf32> loc(#scope15)
    %broadcast_in_dim.11 = stablehlo.broadcast_in_dim %rsqrt.2, dims = [0] : (tensor<1xf32>) -> tensor<1x32xf32> loc(#scope15)
    %multiply.9 = stablehlo.multiply %add.3, %broadcast_in_dim.11 : tensor<1x32xf32> loc(#scope15)
    %parameter.8 = util.global.load @"blk.0.ffn_norm.weight" : tensor<32xf32> loc(#scope15)
    %broadcast_in_dim.12 = stablehlo.broadcast_in_dim %parameter.8, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32> loc(#scope15)
    %normed.2 = stablehlo.multiply %multiply.9, %broadcast_in_dim.12 : tensor<1x32xf32> loc(#scope15)
    // layer 0 / mlp / gate_proj
    %parameter.9 = util.global.load @"blk.0.ffn_gate.weight" : tensor<32x40xf16> loc(#scope17)
    %convert.7 = stablehlo.convert %parameter.9 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope17)
    %dot_general.7 = stablehlo.dot_general %normed.2, %convert.7, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x40xf32>) -> tensor<1x40xf32> loc(#scope17)
    // layer 0 / mlp / up_proj
    %parameter.10 = util.global.load @"blk.0.ffn_up.weight" : tensor<32x40xf16> loc(#scope18)
    %convert.8 = stablehlo.convert %parameter.10 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope18)
    %dot_general.8 = stablehlo.dot_general %normed.2, %convert.8, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x40xf32>) -> tensor<1x40xf32> loc(#scope18)
    // layer 0 / mlp
    %logistic = stablehlo.logistic %dot_general.7 : tensor<1x40xf32> loc(#scope16)
    %multiply.10 = stablehlo.multiply %dot_general.7, %logistic : tensor<1x40xf32> loc(#scope16)
    %gated = stablehlo.multiply %multiply.10, %dot_general.8 : tensor<1x40xf32> loc(#scope16)
    // layer 0 / mlp / down_proj
    %parameter.11 = util.global.load @"blk.0.ffn_down.weight" : tensor<40x32xf16> loc(#scope19)
    %convert.9 = stablehlo.convert %parameter.11 : (tensor<40x32xf16>) -> tensor<40x32xf32> loc(#scope19)
    %dot_general.9 = stablehlo.dot_general %gated, %convert.9, contracting_dims = [1] x [0] : (tensor<1x40xf32>, tensor<40x32xf32>) -> tensor<1x32xf32> loc(#scope19)
    // layer 0
    %hidden.2 = stablehlo.add %add.3, %dot_general.9 : tensor<1x32xf32> loc(#scope4)
    // layer 1 / attention_norm
    %multiply.11 = stablehlo.multiply %hidden.2, %hidden.2 : tensor<1x32xf32> loc(#scope21)
    %reduce.7.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope21)
    %reduce.7 = stablehlo.reduce(%multiply.11 init: %reduce.7.init) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32> loc(#scope21)
    %constant.18 = stablehlo.constant dense<0.03125> : tensor<1xf32> loc(#scope21)
    %multiply.12 = stablehlo.multiply %reduce.7, %constant.18 : tensor<1xf32> loc(#scope21)
    %constant.19 = stablehlo.constant dense<1.0e-5> : tensor<1xf32> loc(#scope21)
    %add.5 = stablehlo.add %multiply.12, %constant.19 : tensor<1xf32> loc(#scope21)
    %rsqrt.3 = stablehlo.rsqrt %add.5 : tensor<1xf32> loc(#scope21)
    %broadcast_in_dim.13 = stablehlo.broadcast_in_dim %rsqrt.3, dims = [0] : (tensor<1xf32>) -> tensor<1x32xf32> loc(#scope21)
    %multiply.13 = stablehlo.multiply %hidden.2, %broadcast_in_dim.13 : tensor<1x32xf32> loc(#scope21)
    %parameter.12 = util.global.load @"blk.1.attn_norm.weight" : tensor<32xf32> loc(#scope21)
    %broadcast_in_dim.14 = stablehlo.broadcast_in_dim %parameter.12, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32> loc(#scope21)
    %normed.3 = stablehlo.multiply %multiply.13, %broadcast_in_dim.14 : tensor<1x32xf32> loc(#scope21)
    // layer 1 / attention / q_proj
    %parameter.13 = util.global.load @"blk.1.attn_q.weight" : tensor<32x32xf16> loc(#scope23)
    %convert.10 = stablehlo.convert %parameter.13 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope23)
    %dot_general.10 = stablehlo.dot_general %normed.3, %convert.10, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32> loc(#scope23)
    // layer 1 / attention
    %reshape.20 = stablehlo.reshape %dot_general.10 : (tensor<1x32xf32>) -> tensor<1x4x8xf32> loc(#scope22)
    // layer 1 / attention / q_rope
    %reshape.21 = stablehlo.reshape %reshape.20 : (tensor<1x4x8xf32>) -> tensor<1x4x2x4xf32> loc(#scope24)
    %broadcast_in_dim.15 = stablehlo.broadcast_in_dim %reshape.21, dims = [0, 1, 2, 4] : (tensor<1x4x2x4xf32>) -> tensor<1x4x2x2x4xf32> loc(#scope24)
    %broadcast_in_dim.16 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<1x2x2x4xf32>) -> tensor<1x4x2x2x4xf32> loc(#scope24)
    %multiply.14 = stablehlo.multiply %broadcast_in_dim.15, %broadcast_in_dim.16 : tensor<1x4x2x2x4xf32> loc(#scope24)
    %reduce.8.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope24)
    %reduce.8 = stablehlo.reduce(%multiply.14 init: %reduce.8.init) applies stablehlo.add across dimensions = [2] : (tensor<1x4x2x2x4xf32>, tensor<f32>) -> tensor<1x4x2x4xf32> loc(#scope24)
    %reshape.22 = stablehlo.reshape %reduce.8 : (tensor<1x4x2x4xf32>) -> tensor<1x4x8xf32> loc(#scope24)
    // layer 1 / attention / k_proj
    %parameter.14 = util.global.load @"blk.1.attn_k.weight" : tensor<32x16xf16> loc(#scope25)
    %convert.11 = stablehlo.convert %parameter.14 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope25)
    %dot_general.11 = stablehlo.dot_general %normed.3, %convert.11, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32> loc(#scope25)
    // layer 1 / attention
    %reshape.23 = stablehlo.reshape %dot_general.11 : (tensor<1x16xf32>) -> tensor<1x2x8xf32> loc(#scope22)
    // layer 1 / attention / k_rope
    %reshape.24 = stablehlo.reshape %reshape.23 : (tensor<1x2x8xf32>) -> tensor<1x2x2x4xf32> loc(#scope26)
    %broadcast_in_dim.17 = stablehlo.broadcast_in_dim %reshape.24, dims = [0, 1, 2, 4] : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x2x4xf32> loc(#scope26)
    %broadcast_in_dim.18 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x2x4xf32> loc(#scope26)
    %multiply.15 = stablehlo.multiply %broadcast_in_dim.17, %broadcast_in_dim.18 : tensor<1x2x2x2x4xf32> loc(#scope26)
    %reduce.9.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope26)
    %reduce.9 = stablehlo.reduce(%multiply.15 init: %reduce.9.init) applies stablehlo.add across dimensions = [2] : (tensor<1x2x2x2x4xf32>, tensor<f32>) -> tensor<1x2x2x4xf32> loc(#scope26)
    %reshape.25 = stablehlo.reshape %reduce.9 : (tensor<1x2x2x4xf32>) -> tensor<1x2x8xf32> loc(#scope26)
    // layer 1 / attention / v_proj
    %parameter.15 = util.global.load @"blk.1.attn_v.weight" : tensor<32x16xf16> loc(#scope27)
    %convert.12 = stablehlo.convert %parameter.15 : (tensor<32x16xf16>) -> tensor<32x16xf32> loc(#scope27)
    %dot_general.12 = stablehlo.dot_general %normed.3, %convert.12, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32> loc(#scope27)
    // layer 1 / attention
    %reshape.26 = stablehlo.reshape %dot_general.12 : (tensor<1x16xf32>) -> tensor<1x2x8xf32> loc(#scope22)
    // layer 1 / attention / cache
    %transpose.6 = stablehlo.transpose %reshape.25, dims = [1, 0, 2] : (tensor<1x2x8xf32>) -> tensor<2x1x8xf32> loc(#scope28)
    %transpose.7 = stablehlo.transpose %reshape.26, dims = [1, 0, 2] : (tensor<1x2x8xf32>) -> tensor<2x1x8xf32> loc(#scope28)
    %constant.20 = stablehlo.constant dense<1> : tensor<i32> loc(#scope28)
    %layer.2 = stablehlo.add %constant.20, %zero : tensor<i32> loc(#scope28)
    %constant.21 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %constant.22 = stablehlo.constant dense<2> : tensor<i32> loc(#scope28)
    %convert.13 = stablehlo.convert %transpose.6 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf16> loc(#scope28)
    %reshape.27 = stablehlo.reshape %convert.13 : (tensor<2x1x8xf16>) -> tensor<1x2x1x8xf16> loc(#scope28)
    %constant.23 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %cache.4 = stablehlo.dynamic_update_slice %cache.3, %reshape.27, %layer.2, %constant.21, %scalar_to_tensor, %constant.23 : (tensor<2x4x64x8xf16>, tensor<1x2x1x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope28)
    %convert.14 = stablehlo.convert %transpose.7 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf16> loc(#scope28)
    %reshape.28 = stablehlo.reshape %convert.14 : (tensor<2x1x8xf16>) -> tensor<1x2x1x8xf16> loc(#scope28)
    %constant.24 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %cache.5 = stablehlo.dynamic_update_slice %cache.4, %reshape.28, %layer.2, %constant.22, %scalar_to_tensor, %constant.24 : (tensor<2x4x64x8xf16>, tensor<1x2x1x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x64x8xf16> loc(#scope28)
    %constant.25 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %constant.26 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %dynamic_slice.3 = stablehlo.dynamic_slice %cache.5, %layer.2, %constant.21, %constant.25, %constant.26, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope28)
    %reshape.29 = stablehlo.reshape %dynamic_slice.3 : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope28)
    %keys.2 = stablehlo.convert %reshape.29 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope28)
    %constant.27 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %constant.28 = stablehlo.constant dense<0> : tensor<i32> loc(#scope28)
    %dynamic_slice.4 = stablehlo.dynamic_slice %cache.5, %layer.2, %constant.22, %constant.27, %constant.28, sizes = [1, 2, 64, 8] : (tensor<2x4x64x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x64x8xf16> loc(#scope28)
    %reshape.30 = stablehlo.reshape %dynamic_slice.4 : (tensor<1x2x64x8xf16>) -> tensor<2x64x8xf16> loc(#scope28)
    %values.2 = stablehlo.convert %reshape.30 : (tensor<2x64x8xf16>) -> tensor<2x64x8xf32> loc(#scope28)
    // layer 1 / attention / mix
    %reshape.31 = stablehlo.reshape %reshape.22 : (tensor<1x4x8xf32>) -> tensor<1x2x2x8xf32> loc(#scope29)
    %transpose.8 = stablehlo.transpose %reshape.31, dims = [1, 0, 2, 3] : (tensor<1x2x2x8xf32>) -> tensor<2x1x2x8xf32> loc(#scope29)
    %reshape.32 = stablehlo.reshape %transpose.8 : (tensor<2x1x2x8xf32>) -> tensor<2x2x8xf32> loc(#scope29)
    %dot_general.13 = stablehlo.dot_general %reshape.32, %keys.2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x2x8xf32>, tensor<2x64x8xf32>) -> tensor<2x2x64xf32> loc(#scope29)
    %reshape.33 = stablehlo.reshape %dot_general.13 : (tensor<2x2x64xf32>) -> tensor<2x1x2x64xf32> loc(#scope29)
    %constant.29 = stablehlo.constant dense<0.35355338> : tensor<2x1x2x64xf32> loc(#scope29)
    %multiply.16 = stablehlo.multiply %reshape.33, %constant.29 : tensor<2x1x2x64xf32> loc(#scope29)
    %broadcast_in_dim.19 = stablehlo.broadcast_in_dim %visible, dims = [1, 3] : (tensor<1x64xi1>) -> tensor<2x1x2x64xi1> loc(#scope29)
    %constant.30 = stablehlo.constant dense<0xFF800000> : tensor<2x1x2x64xf32> loc(#scope29)
    %scores.2 = stablehlo.select %broadcast_in_dim.19, %multiply.16, %constant.30 : tensor<2x1x2x64xi1>, tensor<2x1x2x64xf32> loc(#scope29)
    %reduce.10.init = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope29)
    %reduce.10 = stablehlo.reduce(%scores.2 init: %reduce.10.init) applies stablehlo.maximum across dimensions = [3] : (tensor<2x1x2x64xf32>, tensor<f32>) -> tensor<2x1x2xf32> loc(#scope29)
    %broadcast_in_dim.20 = stablehlo.broadcast_in_dim %reduce.10, dims = [0, 1, 2] : (tensor<2x1x2xf32>) -> tensor<2x1x2x64xf32> loc(#scope29)
    %subtract.2 = stablehlo.subtract %scores.2, %broadcast_in_dim.20 : tensor<2x1x2x64xf32> loc(#scope29)
    %weights.2 = stablehlo.exponential %subtract.2 : tensor<2x1x2x64xf32> loc(#scope29)
    %reduce.11.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope29)
    %reduce.11 = stablehlo.reduce(%weights.2 init: %reduce.11.init) applies stablehlo.add across dimensions = [3] : (tensor<2x1x2x64xf32>, tensor<f32>) -> tensor<2x1x2xf32> loc(#scope29)
    %reshape.34 = stablehlo.reshape %weights.2 : (tensor<2x1x2x64xf32>) -> tensor<2x2x64xf32> loc(#scope29)
    %dot_general.14 = stablehlo.dot_general %reshape.34, %values.2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x64xf32>, tensor<2x64x8xf32>) -> tensor<2x2x8xf32> loc(#scope29)
    %reshape.35 = stablehlo.reshape %reduce.11 : (tensor<2x1x2xf32>) -> tensor<2x2xf32> loc(#scope29)
    %broadcast_in_dim.21 = stablehlo.broadcast_in_dim %reshape.35, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x8xf32> loc(#scope29)
    %divide.2 = stablehlo.divide %dot_general.14, %broadcast_in_dim.21 : tensor<2x2x8xf32> loc(#scope29)
    %reshape.36 = stablehlo.reshape %divide.2 : (tensor<2x2x8xf32>) -> tensor<2x1x2x8xf32> loc(#scope29)
    %transpose.9 = stablehlo.transpose %reshape.36, dims = [1, 0, 2, 3] : (tensor<2x1x2x8xf32>) -> tensor<1x2x2x8xf32> loc(#scope29)
    %reshape.37 = stablehlo.reshape %transpose.9 : (tensor<1x2x2x8xf32>) -> tensor<1x4x8xf32> loc(#scope29)
    // layer 1 / attention
    %reshape.38 = stablehlo.reshape %reshape.37 : (tensor<1x4x8xf32>) -> tensor<1x32xf32> loc(#scope22)
    // layer 1 / attention / o_proj
    %parameter.16 = util.global.load @"blk.1.attn_output.weight" : tensor<32x32xf16> loc(#scope30)
    %convert.15 = stablehlo.convert %parameter.16 : (tensor<32x32xf16>) -> tensor<32x32xf32> loc(#scope30)
    %dot_general.15 = stablehlo.dot_general %reshape.38, %convert.15, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32> loc(#scope30)
    // layer 1
    %add.6 = stablehlo.add %hidden.2, %dot_general.15 : tensor<1x32xf32> loc(#scope20)
    // layer 1 / mlp_norm
    %multiply.17 = stablehlo.multiply %add.6, %add.6 : tensor<1x32xf32> loc(#scope31)
    %reduce.12.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope31)
    %reduce.12 = stablehlo.reduce(%multiply.17 init: %reduce.12.init) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32> loc(#scope31)
    %constant.31 = stablehlo.constant dense<0.03125> : tensor<1xf32> loc(#scope31)
    %multiply.18 = stablehlo.multiply %reduce.12, %constant.31 : tensor<1xf32> loc(#scope31)
    %constant.32 = stablehlo.constant dense<1.0e-5> : tensor<1xf32> loc(#scope31)
    %add.7 = stablehlo.add %multiply.18, %constant.32 : tensor<1xf32> loc(#scope31)
    %rsqrt.4 = stablehlo.rsqrt %add.7 : tensor<1xf32> loc(#scope31)
    %broadcast_in_dim.22 = stablehlo.broadcast_in_dim %rsqrt.4, dims = [0] : (tensor<1xf32>) -> tensor<1x32xf32> loc(#scope31)
    %multiply.19 = stablehlo.multiply %add.6, %broadcast_in_dim.22 : tensor<1x32xf32> loc(#scope31)
    %parameter.17 = util.global.load @"blk.1.ffn_norm.weight" : tensor<32xf32> loc(#scope31)
    %broadcast_in_dim.23 = stablehlo.broadcast_in_dim %parameter.17, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32> loc(#scope31)
    %normed.4 = stablehlo.multiply %multiply.19, %broadcast_in_dim.23 : tensor<1x32xf32> loc(#scope31)
    // layer 1 / mlp / gate_proj
    %parameter.18 = util.global.load @"blk.1.ffn_gate.weight" : tensor<32x40xf16> loc(#scope33)
    %convert.16 = stablehlo.convert %parameter.18 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope33)
    %dot_general.16 = stablehlo.dot_general %normed.4, %convert.16, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x40xf32>) -> tensor<1x40xf32> loc(#scope33)
    // layer 1 / mlp / up_proj
    %parameter.19 = util.global.load @"blk.1.ffn_up.weight" : tensor<32x40xf16> loc(#scope34)
    %convert.17 = stablehlo.convert %parameter.19 : (tensor<32x40xf16>) -> tensor<32x40xf32> loc(#scope34)
    %dot_general.17 = stablehlo.dot_general %normed.4, %convert.17, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x40xf32>) -> tensor<1x40xf32> loc(#scope34)
    // layer 1 / mlp
    %logistic.2 = stablehlo.logistic %dot_general.16 : tensor<1x40xf32> loc(#scope32)
    %multiply.20 = stablehlo.multiply %dot_general.16, %logistic.2 : tensor<1x40xf32> loc(#scope32)
    %gated.2 = stablehlo.multiply %multiply.20, %dot_general.17 : tensor<1x40xf32> loc(#scope32)
    // layer 1 / mlp / down_proj
    %parameter.20 = util.global.load @"blk.1.ffn_down.weight" : tensor<40x32xf16> loc(#scope35)
    %convert.18 = stablehlo.convert %parameter.20 : (tensor<40x32xf16>) -> tensor<40x32xf32> loc(#scope35)
    %dot_general.18 = stablehlo.dot_general %gated.2, %convert.18, contracting_dims = [1] x [0] : (tensor<1x40xf32>, tensor<40x32xf32>) -> tensor<1x32xf32> loc(#scope35)
    // layer 1
    %hidden.3 = stablehlo.add %add.6, %dot_general.18 : tensor<1x32xf32> loc(#scope20)
    // output_norm
    %multiply.21 = stablehlo.multiply %hidden.3, %hidden.3 : tensor<1x32xf32> loc(#scope37)
    %reduce.13.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope37)
    %reduce.13 = stablehlo.reduce(%multiply.21 init: %reduce.13.init) applies stablehlo.add across dimensions = [1] : (tensor<1x32xf32>, tensor<f32>) -> tensor<1xf32> loc(#scope37)
    %constant.33 = stablehlo.constant dense<0.03125> : tensor<1xf32> loc(#scope37)
    %multiply.22 = stablehlo.multiply %reduce.13, %constant.33 : tensor<1xf32> loc(#scope37)
    %constant.34 = stablehlo.constant dense<1.0e-5> : tensor<1xf32> loc(#scope37)
    %add.8 = stablehlo.add %multiply.22, %constant.34 : tensor<1xf32> loc(#scope37)
    %rsqrt.5 = stablehlo.rsqrt %add.8 : tensor<1xf32> loc(#scope37)
    %broadcast_in_dim.24 = stablehlo.broadcast_in_dim %rsqrt.5, dims = [0] : (tensor<1xf32>) -> tensor<1x32xf32> loc(#scope37)
    %multiply.23 = stablehlo.multiply %hidden.3, %broadcast_in_dim.24 : tensor<1x32xf32> loc(#scope37)
    %parameter.21 = util.global.load @"output_norm.weight" : tensor<32xf32> loc(#scope37)
    %broadcast_in_dim.25 = stablehlo.broadcast_in_dim %parameter.21, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32> loc(#scope37)
    %normed.5 = stablehlo.multiply %multiply.23, %broadcast_in_dim.25 : tensor<1x32xf32> loc(#scope37)
    // output
    %parameter.22 = util.global.load @"token_embd.weight" : tensor<32x48xf16> loc(#scope38)
    %convert.19 = stablehlo.convert %parameter.22 : (tensor<32x48xf16>) -> tensor<32x48xf32> loc(#scope38)
    %logits = stablehlo.dot_general %normed.5, %convert.19, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x48xf32>) -> tensor<1x48xf32> loc(#scope38)
    // model
    %next.least = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope0)
    %next.none = stablehlo.constant dense<2147483647> : tensor<i32> loc(#scope0)
    %next.index = stablehlo.iota dim = 1 : tensor<1x48xi32> loc(#scope0)
    %next:2 = stablehlo.reduce(%logits init: %next.least), (%next.index init: %next.none) across dimensions = [1] : (tensor<1x48xf32>, tensor<1x48xi32>, tensor<f32>, tensor<i32>) -> (tensor<1xf32>, tensor<1xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%ai: tensor<i32>, %bi: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %ai, %bi, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %equal, %earlier : tensor<i1>
      %wins = stablehlo.or %greater, %first : tensor<i1>
      %value = stablehlo.select %wins, %a, %b : tensor<i1>, tensor<f32>
      %at = stablehlo.select %wins, %ai, %bi : tensor<i1>, tensor<i32>
      stablehlo.return %value, %at : tensor<f32>, tensor<i32>
    } loc(#scope0)
    return %next#1, %logits, %cache.5 : tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>
  }
}

#scope0 = loc("model")
#scope1 = loc("rope")
#scope2 = loc("mask")
#scope3 = loc("embedding")
#scope4 = loc("layer 0")
#scope5 = loc("layer 0 / attention_norm")
#scope6 = loc("layer 0 / attention")
#scope7 = loc("layer 0 / attention / q_proj")
#scope8 = loc("layer 0 / attention / q_rope")
#scope9 = loc("layer 0 / attention / k_proj")
#scope10 = loc("layer 0 / attention / k_rope")
#scope11 = loc("layer 0 / attention / v_proj")
#scope12 = loc("layer 0 / attention / cache")
#scope13 = loc("layer 0 / attention / mix")
#scope14 = loc("layer 0 / attention / o_proj")
#scope15 = loc("layer 0 / mlp_norm")
#scope16 = loc("layer 0 / mlp")
#scope17 = loc("layer 0 / mlp / gate_proj")
#scope18 = loc("layer 0 / mlp / up_proj")
#scope19 = loc("layer 0 / mlp / down_proj")
#scope20 = loc("layer 1")
#scope21 = loc("layer 1 / attention_norm")
#scope22 = loc("layer 1 / attention")
#scope23 = loc("layer 1 / attention / q_proj")
#scope24 = loc("layer 1 / attention / q_rope")
#scope25 = loc("layer 1 / attention / k_proj")
#scope26 = loc("layer 1 / attention / k_rope")
#scope27 = loc("layer 1 / attention / v_proj")
#scope28 = loc("layer 1 / attention / cache")
#scope29 = loc("layer 1 / attention / mix")
#scope30 = loc("layer 1 / attention / o_proj")
#scope31 = loc("layer 1 / mlp_norm")
#scope32 = loc("layer 1 / mlp")
#scope33 = loc("layer 1 / mlp / gate_proj")
#scope34 = loc("layer 1 / mlp / up_proj")
#scope35 = loc("layer 1 / mlp / down_proj")
#scope36 = loc("last")
#scope37 = loc("output_norm")
#scope38 = loc("output")
